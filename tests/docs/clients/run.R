# Make the messages of a file of jobs: each is printed with the number of bytes read, or an error that begins with "refused".
arguments <- commandArgs(TRUE)
source(file.path(arguments[1], "client.R"))
source(file.path(arguments[1], "levels.R"))

raw_of <- function(digits) {
  first <- 2 * seq_len(nchar(digits) / 2) - 1
  as.raw(strtoi(substring(rep(digits, length(first)), first, first + 1), 16L))
}

for (job in read_task(arguments[2])) {
  taken <- 0
  data <- if (is.null(job$random)) raw(0) else raw_of(job$random)
  read <- function(length) { taken <<- taken + length; data[taken - length + seq_len(length)] }
  made <- tryCatch(
    if (is.null(job$random)) message_of(job$task, unlist(job$value)) else message_of(job$task, unlist(job$value), read),
    error = function(error) paste("refused", conditionMessage(error)))
  cat(if (is.raw(made)) paste(paste(made, collapse = ""), taken) else made, "\n")
}
