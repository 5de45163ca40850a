package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/svc-dev/svc/analytics/framedir"
	"github.com/svc-dev/svc/analytics/store"
	"github.com/svc-dev/svc/internal/config"
	"github.com/svc-dev/svc/internal/mapped"
)

// openFrames takes the folder of frames; nil when there is none, or when it can't be had: reports work without it.
func openFrames(settings config.Settings, logger *slog.Logger) *framedir.Directory {
	if settings.FrameDir == "" {
		return nil
	}
	files, err := framedir.Open(settings.FrameDir, settings.FrameDisk)
	if err != nil {
		logger.Warn("the report cache is kept in memory alone: a restart builds it from the database again", "error", err)
		return nil
	}
	return files
}

// observeFrames shows what reports hold, and what their files do.
func observeFrames(registry prometheus.Registerer, reports *store.Store, files *framedir.Directory) {
	gauge := func(name, help string, read func() int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(read()) },
		)
	}
	counter := func(name, help string, read func(store.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read(reports.Stats())) },
		)
	}
	registry.MustRegister(
		gauge("svc_frame_memory_bytes", "Bytes of frame_memory that reports take.", reports.Bytes),
		gauge("svc_frame_mapped_bytes", "Bytes of mapped files of the report cache; their pages are in the page cache.",
			mapped.Bytes),
		counter("svc_frame_days_read_total", "Days of sessions or runs that were read from the database.",
			func(s store.Stats) int64 { return s.DaysRead }),
		counter("svc_frame_environments_reopened_total", "Environments that were opened from their files.",
			func(s store.Stats) int64 { return s.Reopened }),
		counter("svc_frame_environments_dropped_total", "Environments whose files were not trusted, and dropped.",
			func(s store.Stats) int64 { return s.Dropped }),
		counter("svc_frame_save_failures_total", "Times that the report cache could not be written to files.",
			func(s store.Stats) int64 { return s.SaveFailures }),
	)
	if files != nil {
		registry.MustRegister(gauge("svc_frame_disk_bytes", "Bytes of the files of the report cache.", files.Bytes))
	}
}

func newFrames(t terminal) *cobra.Command {
	group := &cobra.Command{
		Use:   "frames",
		Short: "Look at the files in which reports keep what they read",
		Long: "The folder of frame_dir holds what reports read from the database, so that a server that starts again\n" +
			"has it at once. It may be deleted whenever no server uses it.",
	}
	look := func(use, short string, verify bool) *cobra.Command {
		var flags serverFlags
		cmd := &cobra.Command{Use: use, Short: short, Args: noArguments, RunE: func(*cobra.Command, []string) error {
			settings, err := framesSettings(&flags, t)
			if err != nil {
				return err
			}
			all, err := framedir.Look(settings.FrameDir, verify)
			if errors.Is(err, fs.ErrNotExist) {
				return &failure{exit: exitError, code: "not_found", cause: err, message: fmt.Sprintf(
					"there is no folder %s: give --frame-dir (svc dev has it below its data directory)", settings.FrameDir)}
			}
			if err != nil {
				return err
			}
			encoder := json.NewEncoder(t.out)
			encoder.SetIndent("", "  ")
			if err := encoder.Encode(struct {
				Path         string             `json:"path"`
				Environments []framedir.Summary `json:"environments"`
			}{settings.FrameDir, all}); err != nil {
				return err
			}
			for i := range all {
				if len(all[i].Problems) > 0 {
					return &failure{exit: exitError, code: "frames_damaged",
						message: "some files are damaged; a server drops them by itself and reads their rows from the database"}
				}
			}
			return nil
		}}
		flags.bind(cmd, config.Defaults())
		return cmd
	}
	var flags serverFlags
	drop := &cobra.Command{
		Use: "drop", Short: "Remove all files; reports read from the database again. No server may be using them",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			settings, err := framesSettings(&flags, t)
			if err != nil {
				return err
			}
			return dropFrames(settings.FrameDir)
		},
	}
	flags.bind(drop, config.Defaults())
	return newGroup(group,
		look("status", "Say which environments have files, how large they are and what they stand for", false),
		look("verify", "Read every file and compare it with its checksum; exit code 1 when one is damaged", true),
		drop,
	)
}

// framesSettings reads the settings of a command that looks at the folder of frames.
func framesSettings(flags *serverFlags, t terminal) (config.Settings, error) {
	settings, err := flags.settings(t, config.Defaults())
	if err == nil && settings.FrameDir == "" {
		err = &failure{exit: exitUsage, code: "invalid_settings",
			message: "frame_dir is empty: give --frame-dir or SVC_FRAME_DIR"}
	}
	return settings, err
}

func dropFrames(path string) error {
	files, err := framedir.Open(path, 0)
	if errors.Is(err, framedir.ErrLocked) {
		return &failure{exit: exitError, code: "frames_in_use", cause: err,
			message: fmt.Sprintf("a server uses %s: stop it first", path)}
	}
	if err != nil {
		return err
	}
	environments, err := files.Environments()
	for _, environment := range environments {
		err = errors.Join(err, files.Drop(environment))
	}
	return errors.Join(err, files.Close())
}
