const statementTimeoutMs = 10_000
/** Timeout for a server that does not even report a statement timeout. */
export const silenceTimeoutMs = 12_000

export type SessionSettings = Readonly<Record<string, string>>

/**
 * timezone: Prisma writes times without a zone and reads them as UTC, whatever the database's zone.
 * random_page_cost: data is in memory or on an SSD, so index scans are cheap. jit: statements are short, and
 * compiling one takes longer than running it. lock_timeout: statement_timeout does not bound a commit, which
 * waits for the places of feeds.
 */
export const sessionSettings: SessionSettings = {
  timezone: 'UTC',
  random_page_cost: '1.1',
  jit: 'off',
  lock_timeout: String(statementTimeoutMs),
  statement_timeout: String(statementTimeoutMs),
}

/** They use generic plans: for some reads PostgreSQL's estimates would cause a new plan each time. */
export const readSettings: SessionSettings = {
  ...sessionSettings,
  plan_cache_mode: 'force_generic_plan',
}

/**
 * Settings that force index reads: streams read rows by place or key. A plan made for a small table would
 * scan the whole table until the next analysis, however much it grows.
 */
export const streamSettings: SessionSettings = {
  ...readSettings,
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}
