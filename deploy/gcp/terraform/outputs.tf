output "service_account" {
  description = "Add it to the properties in Search Console, or use adc and verify-domain."
  value       = google_service_account.submitter.email
}

output "ledger" {
  description = "Where the memory is."
  value       = local.ledger
}

output "uri" {
  description = "The function's address."
  value       = one(google_cloudfunctions2_function.submitter[*].service_config[0].uri)
}
