// Package exports writes environments as Parquet files into buckets that members name: every hour, every day, or when
// they ask. The row of an export says when its next run is due, and says so until the run has ended: any server goes on
// where another one was killed. An advisory lock keeps an environment to one run at a time.
package exports
