#!/usr/bin/env node
import { isNodeSupported, minNodeVersion } from '../settings/node-version.ts'

// The program is loaded afterwards: an old Node cannot read it, and would say so in other words.
if (isNodeSupported(process.versions.node)) await (await import('../cli.ts')).runCommandLine()
else {
  process.stderr.write(
    `tradegraph: Node ${minNodeVersion} or newer is needed; this is ${process.versions.node}\n`,
  )
  process.exitCode = 2
}
