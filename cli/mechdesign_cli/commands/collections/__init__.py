"""Commands that run a collection of local reports: its task, its reports, its estimates."""
