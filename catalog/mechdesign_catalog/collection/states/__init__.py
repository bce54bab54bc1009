"""Add up reports into states that merge: what a server keeps, and passes on."""
