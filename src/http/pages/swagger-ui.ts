import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/** The files of the package that the viewer needs. No others are served. */
const contentTypes = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
} as const

/** Names of these files. `npm run build` copies them next to the program. */
export const viewerFiles = Object.keys(contentTypes)

interface ViewerFile {
  contentType: string
  body: Buffer
}

/**
 * Finds files by name. Each is read on its first request, from the build or the package that Node resolves,
 * and then cached.
 */
export function createSwaggerUi(): (name: string) => ViewerFile | undefined {
  const cachedFiles = new Map<string, ViewerFile>(Object.entries(ownFiles))
  return (name) => {
    const cached = cachedFiles.get(name)
    if (cached || !isServed(name)) return cached
    const file = { contentType: contentTypes[name], body: readFileSync(path.join(folderOfViewer(), name)) }
    cachedFiles.set(name, file)
    return file
  }
}

function folderOfViewer(): string {
  const built = path.join(import.meta.dirname, 'viewer')
  if (existsSync(built)) return built
  return path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}

function isServed(name: string): name is keyof typeof contentTypes {
  return Object.hasOwn(contentTypes, name)
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tradegraph REST</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="/docs/favicon-16x16.png" sizes="16x16">
</head>
<body>
<div id="viewer"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** The script that starts the viewer, without the validator, which is on another host. */
const startScript = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: false,
  displayRequestDuration: true,
  docExpansion: 'list',
})
`

const ownFiles: Record<string, ViewerFile> = {
  '': { contentType: 'text/html; charset=utf-8', body: Buffer.from(page) },
  'start.js': { contentType: 'text/javascript; charset=utf-8', body: Buffer.from(startScript) },
}
