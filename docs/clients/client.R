# Private reports for a task of mechdesign, made in R: of grr, ss, oue and calm, and with levels.R of blocks and
# warped-blocks. Draws are whole numbers of any size (bignum). Numbers of items are below 2^31.
library(jsonlite)
library(openssl)

# Read the document of a task; whole numbers that doubles do not hold become texts.
read_task <- function(file) fromJSON(file, simplifyVector = FALSE, bigint_as_char = TRUE)

# Make the message of a user: `item` numbers the item from 0; of several attributes it is a vector of such numbers.
message_of <- function(task, item, read = rand_bytes) {
  stated <- c(task$constants, task$parameters)
  stated$sizes <- as.numeric(strsplit(c(stated$domains, as.character(stated$k))[1], ",")[[1]])
  if (length(item) != length(stated$sizes) || any(item < 0 | item >= stated$sizes | item %% 1 != 0))
    stop("item must be the number of an item of the task, or a vector of one for each attribute")
  if (is.null(kinds[[stated$oracle]]))
    stop("oracle must be one of ", toString(names(kinds)), ", got ", stated$oracle)
  kinds[[stated$oracle]](stated, item, draws(read))
}

bytes <- function(value, length) as.raw(value %/% 256^(seq_len(length) - 1) %% 256)
number <- function(value, bound) bytes(value, Find(function(length) bound <= 256^length, c(1, 2, 4, 8)))
bits <- function(places, k) packBits(seq_len(8 * ceiling(k / 8)) %in% (places + 1), "raw")

draws <- function(read) {
  below <- function(m) { # uniform on 0..m-1: words from the last whole multiple of m on are thrown away
    m <- bignum(m)
    length <- 0
    while (bignum(256)^bignum(length) < m) length <- length + 1
    values <- bignum(256)^bignum(length)
    repeat {
      word <- if (length) bignum(rev(read(length))) else bignum(0)
      if (word < values - values %% m) return(word %% m)
    }
  }
  small <- function(m) as.numeric(below(m))
  chance <- function(text) { ratio <- strsplit(paste0(text, "/1"), "/")[[1]]; below(ratio[2]) < bignum(ratio[1]) }
  choose <- function(weights) { # the place of the choice, from 1
    ends <- Reduce(`+`, lapply(weights, bignum), accumulate = TRUE)
    u <- below(ends[[length(ends)]])
    Position(function(end) u < end, ends)
  }
  except <- function(own, m) { u <- small(m - 1); u + (u >= own) }
  subset <- function(size, k) {
    chosen <- numeric()
    for (t in k - size + seq_len(size) - 1) { u <- small(t + 1); chosen <- c(chosen, if (u %in% chosen) t else u) }
    chosen
  }
  list(below = small, chance = chance, choose = choose, except = except, subset = subset)
}

# By the names of systems: the bytes of a report, by what the task states, the item, and draws.
kinds <- list()
kinds$grr <- function(stated, x, draw)
  number(if (draw$chance(stated$p)) x else draw$except(x, stated$k), stated$k)

kinds$ss <- function(stated, x, draw) {
  own <- draw$chance(stated$p)
  others <- draw$subset(stated$size - own, stated$k - 1)
  bits(c(others + (others >= x), if (own) x), stated$k)
}

kinds$oue <- function(stated, x, draw)
  bits(Filter(function(v) draw$chance(if (v == x) stated$p else stated$q), seq_len(stated$k) - 1), stated$k)

kinds$calm <- function(stated, items, draw)
  part(0, lapply(stated$sets, function(set) {
    places <- unlist(set) + 1
    cells <- prod(stated$sizes[places])
    x <- Reduce(function(x, j) x * stated$sizes[j] + items[j], places, 0)
    list(weight = 1, stated = Find(function(table) table$k == cells, stated$tables), x = function() x)
  }), draw)

# The report of one of several parts, which is drawn, in public, by their weights. They are numbered from `first`.
part <- function(first, parts, draw) {
  i <- draw$choose(lapply(parts, function(part) part$weight))
  stated <- parts[[i]]$stated
  report <- kinds[[stated$oracle]](stated, parts[[i]]$x(), draw)
  c(number(first + i - 1, first + length(parts)), bytes(length(report), 4), report)
}
