package mail_test

import (
	"testing"

	"github.com/svc-dev/svc/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
