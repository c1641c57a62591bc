data "archive_file" "source" {
  count       = var.runs_as == "function" ? 1 : 0
  type        = "zip"
  source_dir  = var.source_folder
  output_path = "${path.root}/.terraform/source.zip"
}

resource "google_storage_bucket_object" "source" {
  count  = var.runs_as == "function" ? 1 : 0
  bucket = google_storage_bucket.memory.name
  name   = "source-${data.archive_file.source[0].output_sha256}.zip"
  source = data.archive_file.source[0].output_path
}

resource "google_cloudfunctions2_function" "submitter" {
  count    = var.runs_as == "function" ? 1 : 0
  name     = "submitter"
  location = var.region

  build_config {
    runtime     = "python313"
    entry_point = "submit"
    source {
      storage_source {
        bucket = google_storage_bucket.memory.name
        object = google_storage_bucket_object.source[0].name
      }
    }
  }

  service_config {
    available_memory = "256Mi"
    timeout_seconds  = 1740
    # One at a time: a second event is told to come again, and then finds what there is to do.
    max_instance_count               = 1
    max_instance_request_concurrency = 1
    ingress_settings                 = "ALLOW_ALL"
    service_account_email            = google_service_account.submitter.email
    environment_variables = {
      GOOGLE_CLOUD_PROJECT = var.project
      SUBMITTER_INVENTORY  = "gs://${google_storage_bucket.memory.name}/${google_storage_bucket_object.inventory.name}"
      SUBMITTER_LEDGER     = local.ledger
    }
  }

  depends_on = [
    google_secret_manager_secret_iam_member.reads,
    google_storage_bucket_iam_member.keeps_memory,
  ]
}

# Only the scheduler may call it: the platform checks its token before the function starts.
resource "google_cloud_run_service_iam_member" "scheduler_calls" {
  count    = var.runs_as == "function" ? 1 : 0
  location = var.region
  service  = google_cloudfunctions2_function.submitter[0].name
  role     = "roles/run.invoker"
  member   = google_service_account.scheduler.member
}

resource "google_cloud_scheduler_job" "function" {
  count            = var.runs_as == "function" ? 1 : 0
  name             = "submitter"
  region           = var.region
  schedule         = var.schedule
  time_zone        = var.time_zone
  attempt_deadline = "1800s"

  # 409 (another run holds the ledger) and 5xx are tried again; a repeat finds the first's report.
  retry_config {
    retry_count          = 3
    min_backoff_duration = "120s"
  }

  http_target {
    http_method = "POST"
    uri         = google_cloudfunctions2_function.submitter[0].service_config[0].uri
    headers     = { "Content-Type" = "application/json" }
    body        = base64encode("{}")
    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = google_cloudfunctions2_function.submitter[0].service_config[0].uri
    }
  }
}
