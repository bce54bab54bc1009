"""Split vectors over ordered items into contrasts: the differences that trees and Haar transforms are made of."""
