locals {
  ledger = var.ledger != "" ? var.ledger : "gs://${google_storage_bucket.memory.name}/ledger.db"
}

# Who the product is; it may do what stands here and nothing else.
resource "google_service_account" "submitter" {
  account_id   = "submitter"
  display_name = "Submitter"
}

# Who Cloud Scheduler is.
resource "google_service_account" "scheduler" {
  account_id   = "submitter-scheduler"
  display_name = "Starts Submitter"
}

resource "google_secret_manager_secret_iam_member" "reads" {
  for_each  = var.secrets
  secret_id = each.value
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.submitter.member
}

resource "google_storage_bucket" "memory" {
  name                        = "${var.project}-submitter"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"

  versioning {
    enabled = true
  }

  # A run replaces the ledger many times; a day of that is backup enough.
  lifecycle_rule {
    condition {
      days_since_noncurrent_time = 1
    }
    action {
      type = "Delete"
    }
  }
}

resource "google_storage_bucket_iam_member" "keeps_memory" {
  bucket = google_storage_bucket.memory.name
  role   = "roles/storage.objectUser"
  member = google_service_account.submitter.member
}

resource "google_storage_bucket_object" "inventory" {
  bucket = google_storage_bucket.memory.name
  name   = "inventory.yaml"
  source = var.inventory
}
