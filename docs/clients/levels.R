# Reports of blocks and of warped-blocks, beside client.R.

parity <- function(word) { # of numbers below 2^31
  ones <- 0
  while (word > 0) { ones <- ones + word %% 2; word <- word %/% 2 }
  ones %% 2
}

gcd <- function(a, b) if (b == 0) a else gcd(b, a %% b)

drawn_masks <- function(level, draw) { # all anew until they are linearly independent: then all their sums differ
  repeat {
    masks <- sapply(seq_len(level$masks), function(i) draw$below(2^level$label_bits))
    sums <- Reduce(function(found, mask) c(found, bitwXor(found, mask)), masks, 0)
    if (!anyDuplicated(sums)) return(masks)
  }
}

masked <- function(level, label, draw) { # a label of NA: the report is about a wide cell that the user is not in
  masks <- drawn_masks(level, draw)
  all <- 2^level$masks
  own <- if (is.na(label)) 0 else sum(sapply(bitwAnd(masks, label), parity) * 2^(seq_along(masks) - 1))
  drawn <- if (is.na(label)) draw$below(all)
    else if (draw$chance(level$held)) draw$below(level$below)
    else level$below + draw$below(all - level$below)
  c(unlist(lapply(masks, number, 2^level$label_bits)), number(bitwXor(own, drawn), all))
}

block_of <- function(starts, densities, shifts, blocks, s, x) { # the block of an item in the partition at shift s
  if (!length(densities)) return(x)
  starts <- unlist(starts)
  before <- function(end) { # a whole number below 2^53
    lengths <- pmax(pmin(starts[-1], end) - starts[-length(starts)], 0)
    sum(lengths * unlist(densities))
  }
  total <- bignum(2 * before(max(starts)))
  place <- bignum(2 * shifts * blocks) * bignum(before(x) + before(x + 1))
  as.numeric((place + bignum(2 * s + 1) * total) %/% (bignum(2 * shifts) * total))
}

cell_of <- function(starts, level, s, x) { # of nested masks: the label, counted from the first item of the wide cell
  own <- function(item) block_of(starts, level$densities, level$shifts, level$blocks, s, item)
  if (level$oracle != "nested-masks") return(own(x))
  wide <- function(item) block_of(starts, level$wide$densities, level$shifts, level$cells - 1, s, item)
  first <- 0
  high <- x
  while (first < high) { # the first item whose wide cell is that of x, by halves
    middle <- (first + high) %/% 2
    if (wide(middle) < wide(x)) first <- middle + 1 else high <- middle
  }
  wide(x) * 2^level$label_bits + own(x) - own(first)
}

kinds$blocks <- function(stated, x, draw)
  part(1, lapply(stated$levels, function(level) list(weight = level$weight, stated = level, x = function() x)), draw)

kinds$`warped-blocks` <- function(stated, x, draw)
  part(1, unlist(lapply(stated$levels, function(level) lapply(seq_len(level$shifts) - 1, function(s)
    list(weight = level$weight, stated = level, x = function() cell_of(stated$starts, level, s, x)))), FALSE), draw)

kinds$`masked-blocks` <- function(level, x, draw) {
  shifts <- level$k / gcd(level$k, level$pieces)
  s <- draw$below(shifts)
  c(number(s, shifts), masked(level, (((x - s) %% level$k + 1) * level$pieces - 1) %/% level$k, draw))
}

kinds$`nested-masks` <- function(level, x, draw) {
  own <- x %/% 2^level$label_bits
  named <- draw$chance(level$named)
  cell <- if (named) own else draw$except(own, level$cells)
  c(number(cell, level$cells), masked(level, if (named) x %% 2^level$label_bits else NA, draw))
}

kinds$`rotated-cells` <- function(level, x, draw) {
  bounds <- c(0, unlist(level$ends), level$k)
  runs <- seq(if (draw$chance(level$held)) 2 else 1, length(bounds) - 1, by = 2)
  places <- bounds[runs + 1] - bounds[runs]
  left <- draw$below(sum(places))
  run <- which(left < cumsum(places))[1]
  number((x - bounds[runs[run] + 1] + cumsum(places)[run] - left) %% level$k, level$k)
}
