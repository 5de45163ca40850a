// Package pgerr is the one classification of what PostgreSQL and the
// connection to it answer: every edge asks it whether an error is the fault of
// the data, passes by itself, or means that something is wrong with us.
package pgerr

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// State returns the five characters of the SQLSTATE that the server sent, or
// "" when err does not come from the server.
func State(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// IsBadData reports whether the server refused the values that it was sent:
// data exceptions (class 22), integrity violations (23), and exceeded program
// limits (54). Sending the same values again fails again.
func IsBadData(err error) bool {
	switch class(err) {
	case "22", "23", "54":
		return true
	}
	return false
}

// IsUnstorableText reports whether a text can't be kept by PostgreSQL: it holds
// a NUL (22021, 22P05) or bytes that are no UTF-8.
func IsUnstorableText(err error) bool {
	switch State(err) {
	case "22021", "22P05":
		return true
	}
	return false
}

// IsTransient reports whether the same statement may succeed when it is sent
// again: the server can't be reached, does not answer in time, is short of
// something, is being restarted, or ended the transaction for another's sake
// (deadlock, serialization).
//
// An error whose cause is that the caller gave up counts too when its deadline
// passed, and does not when it was cancelled: nobody waits for the answer.
func IsTransient(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if state := State(err); state != "" {
		switch state[:2] {
		case "08", // connection exception
			"40", // transaction rollback: deadlock, serialization failure
			"53", // insufficient resources
			"57", // operator intervention: shutdown, cancelled by a time limit
			"58": // system error outside of PostgreSQL
			return true
		}
		// A lock or an object is in use; a standby behind a pooler is not promoted yet.
		return state == "55P03" || state == "55006" || state == "25006"
	}
	var connecting *pgconn.ConnectError
	return errors.As(err, &connecting) || isOfNetwork(err) || pgconn.Timeout(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, puddle.ErrClosedPool)
}

// isOfNetwork reports whether a connection failed. The error of a system call is a
// net.Error as well, whatever was called: one that opened a file is none of a
// connection's, which has its net.OpError around it.
func isOfNetwork(err error) bool {
	var network net.Error
	if !errors.As(err, &network) {
		return false
	}
	_, called := network.(syscall.Errno)
	return !called
}

// IsMisconfigured reports whether the server refused who connects or where to:
// a wrong password, user or database name (classes 28 and 3D). Waiting does not
// change that.
func IsMisconfigured(err error) bool {
	switch class(err) {
	case "28", "3D":
		return true
	}
	return false
}

func class(err error) string {
	if state := State(err); len(state) == 5 {
		return state[:2]
	}
	return ""
}
