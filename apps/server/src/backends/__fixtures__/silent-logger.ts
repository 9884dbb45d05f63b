import type { Logger } from '../../ports.ts'

const ignore = () => undefined

/** A logger that writes nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }
