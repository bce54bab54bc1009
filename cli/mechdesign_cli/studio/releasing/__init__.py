"""Release counts from the studio: staged in a folder of the office's, drawn once whoever asks how often."""
