"""Contrasts of ordered items: the differences of trees and of Haar transforms."""
