resource "google_cloud_run_v2_job" "submitter" {
  count               = var.runs_as == "job" ? 1 : 0
  name                = "submitter"
  location            = var.region
  deletion_protection = false

  template {
    task_count = var.tasks
    template {
      service_account = google_service_account.submitter.email
      timeout         = "3600s"
      # The next schedule goes on; a repeat at once would meet the lease of the run that died.
      max_retries = 0

      containers {
        image = var.image
        args  = ["run", "--deadline", "3540", "--shard", "auto", "--json"]
        env {
          name  = "SUBMITTER_INVENTORY"
          value = "/etc/submitter/${google_storage_bucket_object.inventory.name}"
        }
        env {
          name  = "SUBMITTER_LEDGER"
          value = local.ledger
        }
        resources {
          limits = {
            cpu    = "1"
            memory = "512Mi"
          }
        }
        volume_mounts {
          name       = "inventory"
          mount_path = "/etc/submitter"
        }
      }

      volumes {
        name = "inventory"
        gcs {
          bucket    = google_storage_bucket.memory.name
          read_only = true
        }
      }
    }
  }

  depends_on = [
    google_secret_manager_secret_iam_member.reads,
    google_storage_bucket_iam_member.keeps_memory,
  ]
}

resource "google_cloud_run_v2_job_iam_member" "scheduler_starts" {
  count    = var.runs_as == "job" ? 1 : 0
  location = var.region
  name     = google_cloud_run_v2_job.submitter[0].name
  role     = "roles/run.invoker"
  member   = google_service_account.scheduler.member
}

resource "google_cloud_scheduler_job" "job" {
  count     = var.runs_as == "job" ? 1 : 0
  name      = "submitter"
  region    = var.region
  schedule  = var.schedule
  time_zone = var.time_zone

  http_target {
    http_method = "POST"
    uri         = "https://run.googleapis.com/v2/projects/${var.project}/locations/${var.region}/jobs/${google_cloud_run_v2_job.submitter[0].name}:run"
    oauth_token {
      service_account_email = google_service_account.scheduler.email
    }
  }
}
