variable "project" {
  description = "The project's id."
  type        = string
}

variable "region" {
  description = "Where everything runs and lies."
  type        = string
  default     = "europe-west1"
}

variable "inventory" {
  description = "The inventory file; its secrets are gcp-secret:... references."
  type        = string
}

variable "secrets" {
  description = "Names of the secrets that the inventory refers to, and of the ledger's address."
  type        = set(string)
  default     = []
}

variable "ledger" {
  description = "Where the memory is: gcp-secret:projects/P/secrets/NAME of a secret that holds postgresql://...; empty = one object in the bucket, for small fleets."
  type        = string
  default     = ""
}

variable "schedule" {
  description = "When to run, as cron writes it."
  type        = string
  default     = "17 * * * *"
}

variable "time_zone" {
  description = "The schedule's zone."
  type        = string
  default     = "Etc/UTC"
}

variable "runs_as" {
  description = "function: done in half an hour. job: takes as long as a day."
  type        = string
  default     = "function"
  validation {
    condition     = contains(["function", "job"], var.runs_as)
    error_message = "runs_as is function or job."
  }
}

variable "source_folder" {
  description = "What deploy/gcp/build_source.sh has made; for the function."
  type        = string
  default     = "../source"
}

variable "image" {
  description = "The image of deploy/container; for the job."
  type        = string
  default     = ""
}

variable "tasks" {
  description = "Tasks of the job, each with a part of the fleet; more than one needs a PostgreSQL ledger."
  type        = number
  default     = 1
}
