import type { Log } from '../../src/domain/log.ts'

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
