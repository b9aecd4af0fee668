import { Hono } from 'hono'

// biome-ignore lint/style/noDefaultExport: Ponder reads it
export default new Hono()
