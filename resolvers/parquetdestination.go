package resolvers

import (
	"github.com/svc-dev/svc/graph"
	"github.com/svc-dev/svc/ingest/archive/bucket"
)

// addressOf converts a destination; a secret that is left out is empty.
func addressOf(to *graph.ParquetDestinationInput) bucket.Address {
	return bucket.Address{
		Endpoint: to.Endpoint, Region: to.Region, Bucket: to.Bucket, Prefix: to.Prefix,
		AccessKey: to.AccessKeyID, SecretKey: deref(to.SecretAccessKey),
	}
}
