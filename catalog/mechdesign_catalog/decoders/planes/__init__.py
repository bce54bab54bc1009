"""Rectangles on two ordered columns: trees and Haar contrasts on pairs of levels."""
