import type { YamlLimits } from '../catalog/yaml/limits.ts'

/** Limits of the file of a price list. */
export const PRICE_FILE_LIMITS: YamlLimits = {
  bytes: 1024 * 1024,
  depth: 8,
  keysPerMap: 200,
  aliases: 100,
  lexemes: 300_000,
  nodes: 100_000,
}
