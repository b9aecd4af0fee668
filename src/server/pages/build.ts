import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { bundlePages } from './bundle.ts'

/** Writes the files of the pages next to the compiled program. A part of `npm run build`. */
const folder = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'src', 'server', 'pages', 'built')
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const [name, content] of await bundlePages()) await writeFile(path.join(folder, name), content)
