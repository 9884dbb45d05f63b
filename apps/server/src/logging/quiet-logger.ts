import type { Logger } from '../ports.ts'

/** Drops everything: commands print their results and nothing else. */
export const quietLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
