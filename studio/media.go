package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/ent"
	"github.com/svc-dev/svc/ent/mediaasset"
	"github.com/svc-dev/svc/internal/bodylimit"
	"github.com/svc-dev/svc/internal/fault"
	"github.com/svc-dev/svc/internal/validate"
	"github.com/svc-dev/svc/postgres/transaction"
	"github.com/svc-dev/svc/studio/media"
)

// Upload is a file to keep.
type Upload struct {
	Type        media.Type
	Name        string `json:"name" validate:"utf16max=200"` // shown in the library; empty means the file's name
	Filename    string
	ContentType string // as declared by the sender; may be empty
	Content     io.Reader
}

// UploadMedia stores a file in a workspace's media library, within the formats
// and sizes of manifest.md §13. The same content uploaded again is the same
// asset.
func (s *Studio) UploadMedia(ctx context.Context, workspace uuid.UUID, upload Upload) (*ent.MediaAsset, error) {
	if err := s.mayUpload(ctx, workspace); err != nil {
		return nil, err
	}
	kept, err := s.keepFile(ctx, upload)
	if err != nil {
		return nil, err
	}
	var asset *ent.MediaAsset
	err = transaction.Run(ctx, s.client, func(tx *ent.Tx) error {
		asset, err = kept.store(ctx, tx, workspace)
		return err
	})
	return asset, err
}

// mayUpload refuses files for a library of which the caller may not change anything, or that has as much as it may.
func (s *Studio) mayUpload(ctx context.Context, workspace uuid.UUID) error {
	if _, err := account.Authorize(ctx, workspace, account.MediaManage); err != nil {
		return err
	}
	if s.media == nil {
		return fault.New(fault.Unavailable, "this server keeps no media")
	}
	return s.checkMediaStorage(ctx, workspace)
}

// keptFile is a file on its way into a library: its content is kept under its hash, and no library has it yet.
type keptFile struct {
	id     uuid.UUID // that it gets unless the library has the content
	upload Upload
	format media.Format
	sha    string
	size   int64
}

// keepFile checks a file and keeps its content.
func (s *Studio) keepFile(ctx context.Context, upload Upload) (*keptFile, error) {
	if upload.Name == "" {
		upload.Name = strings.TrimSuffix(path.Base(upload.Filename), path.Ext(upload.Filename))
	}
	if err := validate.Input(upload); err != nil {
		return nil, err
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(upload.Content, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read the upload: %w", err)
	}
	head = head[:n]
	format, err := media.Recognize(upload.Type, upload.Filename, upload.ContentType, head)
	if err != nil {
		return nil, fault.Invalid("file", "%s", err)
	}
	limit := media.MaxBytes[upload.Type]
	content := io.MultiReader(bytes.NewReader(head), upload.Content)
	if upload.Type == media.Lottie {
		whole, err := readAnimation(ctx, content, limit)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(whole)
	}
	sha, size, err := s.media.Put(ctx, content, format.Extension, limit)
	if errors.Is(err, media.ErrTooLarge) {
		return nil, tooLarge(upload.Type)
	}
	if err != nil {
		return nil, err
	}
	upload.Content = nil
	return &keptFile{uuid.Must(uuid.NewV7()), upload, format, sha, size}, nil
}

// leastMediaBytes is what a file counts at least, so that small ones are bounded in number too.
const leastMediaBytes = 16 << 10

// checkMediaStorage refuses an upload to a workspace that has as many bytes of media as it may, before anything of it
// is read; so one upload may pass the bound. Archived media count: apps go on showing them.
func (s *Studio) checkMediaStorage(ctx context.Context, workspace uuid.UUID) error {
	if s.mediaStorage <= 0 {
		return nil
	}
	rows, err := s.client.QueryContext(ctx,
		`select coalesce(sum(greatest(size_bytes, $2)), 0)::bigint from media_assets where workspace_id = $1`,
		workspace, leastMediaBytes)
	if err != nil {
		return fmt.Errorf("sum up the media: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var stored int64
	for rows.Next() {
		if err := rows.Scan(&stored); err != nil {
			return fmt.Errorf("sum up the media: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("sum up the media: %w", err)
	}
	if stored >= s.mediaStorage {
		return fault.Invalid(
			"file", "the workspace has %d bytes of media, of %d that it may have; whoever runs the server may allow more",
			stored, s.mediaStorage,
		)
	}
	return nil
}

func tooLarge(kind media.Type) error {
	return fault.Invalid("file", "a file of type %s has at most %d bytes", kind, media.MaxBytes[kind])
}

// readAnimation reads an animation, which is part of the memory for request bodies, and
// checks it when its turn at the processors comes.
func readAnimation(ctx context.Context, content io.Reader, limit int64) ([]byte, error) {
	hold := bodylimit.HoldOf(ctx)
	whole, err := hold.ReadAll(content, limit)
	switch {
	case errors.Is(err, bodylimit.ErrTooLarge):
		return nil, tooLarge(media.Lottie)
	case errors.Is(err, bodylimit.ErrFull):
		return nil, fault.Wrap(err, fault.Unavailable, "the server is reading as much as it can; try again")
	case err != nil:
		return nil, fmt.Errorf("read the upload: %w", err)
	}
	end, err := hold.Turn(ctx)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the server is reading as much as it can; try again")
	}
	defer end()
	if err := media.CheckLottie(whole); err != nil {
		return nil, fault.Invalid("file", "%s", err)
	}
	return whole, nil
}

// store makes a file part of a library, which may have it already, in the transaction of what shows it: what fails then
// leaves nothing in the library.
func (f *keptFile) store(ctx context.Context, tx *ent.Tx, workspace uuid.UUID) (*ent.MediaAsset, error) {
	known, err := tx.MediaAsset.Query().Where(
		mediaasset.WorkspaceID(workspace), mediaasset.Sha256(f.sha), mediaasset.TypeEQ(mediaasset.Type(f.upload.Type)),
		mediaasset.Extension(f.format.Extension), mediaasset.ArchivedAtIsNil()).First(ctx)
	if err == nil {
		return known, nil
	}
	if !ent.IsNotFound(err) {
		return nil, fmt.Errorf("look for the asset: %w", err)
	}
	asset, err := tx.MediaAsset.Create().SetID(f.id).SetWorkspaceID(workspace).
		SetType(mediaasset.Type(f.upload.Type)).SetName(f.upload.Name).SetContentType(f.format.ContentType()).
		SetSizeBytes(f.size).SetSha256(f.sha).SetExtension(f.format.Extension).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store the asset: %w", err)
	}
	details := map[string]any{"name": f.upload.Name, "sha256": f.sha}
	return asset, account.Record(ctx, tx, workspace, "media.upload", f.id.String(), details)
}

// storeFiles makes files part of a library, and returns the ids that they have there by those that they had elsewhere.
func storeFiles(
	ctx context.Context, tx *ent.Tx, workspace uuid.UUID, files map[uuid.UUID]*keptFile,
) (map[uuid.UUID]uuid.UUID, error) {
	stored := map[uuid.UUID]uuid.UUID{}
	order := func(a, b uuid.UUID) int { return bytes.Compare(files[a].id[:], files[b].id[:]) } // in which they were kept
	for _, id := range slices.SortedFunc(maps.Keys(files), order) {
		asset, err := files[id].store(ctx, tx, workspace)
		if err != nil {
			return nil, err
		}
		stored[id] = asset.ID
	}
	return stored, nil
}

func (s *Studio) findAsset(ctx context.Context, id uuid.UUID) (*ent.MediaAsset, error) {
	p, err := account.From(ctx)
	if err != nil {
		return nil, err
	}
	asset, err := s.client.MediaAsset.Get(ctx, id)
	if err != nil {
		return nil, readError(err, "media asset")
	}
	if _, member := p.Role(asset.WorkspaceID); !member {
		return nil, fault.Missing("media asset")
	}
	_, err = account.Authorize(ctx, asset.WorkspaceID, account.MediaManage)
	return asset, err
}

// RenameMedia changes an asset's name in the library; the file keeps its
// extension.
func (s *Studio) RenameMedia(ctx context.Context, id uuid.UUID, name string) (*ent.MediaAsset, error) {
	asset, err := s.findAsset(ctx, id)
	if err != nil {
		return nil, err
	}
	if name, err = validate.Name("name", name); err != nil {
		return nil, err
	}
	err = s.transact(ctx, record{
		asset.WorkspaceID, "media.rename", id.String(), map[string]any{"name": name},
	}, func(tx *ent.Tx) error {
		if asset, err = tx.MediaAsset.UpdateOneID(id).SetName(name).Save(ctx); err != nil {
			return fmt.Errorf("store the asset: %w", err)
		}
		return nil
	})
	return asset, err
}

// ArchiveMedia hides an asset from the library. The file stays, because
// published versions name it.
func (s *Studio) ArchiveMedia(ctx context.Context, id uuid.UUID) (*ent.MediaAsset, error) {
	asset, err := s.findAsset(ctx, id)
	if err != nil || asset.ArchivedAt != nil {
		return asset, err
	}
	err = s.transact(ctx, record{asset.WorkspaceID, "media.archive", id.String(), nil}, func(tx *ent.Tx) error {
		if asset, err = tx.MediaAsset.UpdateOneID(id).SetArchivedAt(s.now()).Save(ctx); err != nil {
			return fmt.Errorf("archive the asset: %w", err)
		}
		return nil
	})
	return asset, err
}
