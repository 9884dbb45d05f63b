import { findSecret } from '../secrets/check-secret.ts'
import type { SecretKind } from '../secrets/secret-kind.ts'
import { SECRET_KINDS } from '../secrets/secret-kinds.ts'
import type { Span } from '../span.ts'
import type { BuiltinName } from './builtin-names.ts'
import type { CodeSet } from './code-set.ts'
import { CompiledPattern } from './compiled-pattern.ts'

/** A built-in pattern: a kind of secret that contains a fixed text (§2.11). */
export interface BuiltinPattern {
  /** The neutral name, as reports write it. */
  readonly name: BuiltinName
  /** Other names that configurations may use. */
  readonly aliases: readonly BuiltinName[]
  /** The group that matches are reported under. */
  readonly group: string
  /** Other names of the group that `entity_actions` may use. */
  readonly groupAliases: readonly string[]
  /** Compiled when it is first read. */
  readonly pattern: CompiledPattern
  /** Finds the private part of a match in a text; undefined where the match is not a secret. */
  readonly findSecret: (text: string, match: Span) => Span | undefined
}

/** `[A-Za-z0-9_-]`: characters of keys, which must not be adjacent to one. */
const KEY_CHARACTERS: CodeSet = [0x2d, 0x2d, 0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]

/** The built-in patterns, the more specific before the more general. */
export const BUILTIN_PATTERNS: readonly BuiltinPattern[] = SECRET_KINDS.map((kind) => {
  let compiled: CompiledPattern | undefined
  return {
    name: kind.name,
    aliases: kind.aliases ?? [],
    group: kind.group,
    groupAliases: kind.groupAliases ?? [],
    get pattern() {
      compiled ??= compile(kind)
      return compiled
    },
    findSecret: (text, match) => findSecret(kind, text, match),
  }
})

function compile({ pattern, isExact, isAnywhere }: SecretKind): CompiledPattern {
  return new CompiledPattern(pattern, {
    notAfter: isAnywhere ? undefined : KEY_CHARACTERS,
    notBefore: isExact ? KEY_CHARACTERS : undefined,
  })
}
