// Packs every published package for the server, which offers them at /sdk/.
import { packAll } from './pack.mjs';

await packAll();
