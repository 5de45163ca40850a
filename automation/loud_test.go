package automation_test

import (
	"log/slog"
	"os"
)

var loud = slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelInfo}))
