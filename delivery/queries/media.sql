-- Where assets are served. Archived assets still are: published versions name
-- them.
select m.id, m.workspace_id, m.sha256, m.extension
from media_assets m
where m.id = any($1::uuid[])
