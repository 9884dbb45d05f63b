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
}

interface Definition {
  readonly name: BuiltinName
  readonly aliases?: readonly BuiltinName[]
  readonly group: string
  readonly groupAliases?: readonly string[]
  readonly source: string
  /** Whether the length is fixed, so that a longer text is no such secret. */
  readonly isExact?: boolean
}

/** `[A-Za-z0-9_-]`: characters of keys, which must not be adjacent to one. */
const KEY_CHARACTERS: CodeSet = [0x2d, 0x2d, 0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]

const LABEL = '(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----'
/** A line break, also as an escape inside a string. */
const LINE_BREAK = '(?:\\r?\\n|\\\\r\\\\n|\\\\n)'
/** Lines of a key without its last line, with blanks for one on a single line. */
const KEY_LINES = `(?:${LINE_BREAK}[ \\t]*(?:[A-Za-z0-9+/=]+|[A-Za-z][A-Za-z-]*: [^\\r\\n]*)?| [A-Za-z0-9+/=]{16,})*[A-Za-z0-9+/=]`

/**
 * The catalogue, the more specific shape before the more general one: of two built-ins with the same finding, the first
 * is reported.
 */
const DEFINITIONS: readonly Definition[] = [
  {
    name: 'provider_b_api_key',
    aliases: ['anthropic_api_key'],
    group: 'PROVIDER_B_KEY',
    groupAliases: ['ANTHROPIC_KEY'],
    source: 'sk-ant-[A-Za-z0-9_-]{20,}',
  },
  {
    name: 'provider_a_api_key',
    aliases: ['openai_api_key'],
    group: 'PROVIDER_A_KEY',
    groupAliases: ['OPENAI_KEY'],
    source: 'sk-(?:proj-)?[A-Za-z0-9_-]{20,}',
  },
  {
    name: 'codehost_token',
    aliases: ['github_token', 'github_pat'],
    group: 'CODEHOST_TOKEN',
    groupAliases: ['GITHUB_TOKEN'],
    source: '(?:ghp|gho|ghs|ghr|ghu)_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{20,}',
  },
  {
    name: 'cloud_access_key',
    aliases: ['aws_access_key'],
    group: 'CLOUD_ACCESS_KEY',
    groupAliases: ['AWS_ACCESS_KEY'],
    source: '(?:AKIA|ASIA)[0-9A-Z]{16}',
    isExact: true,
  },
  {
    name: 'private_key_block',
    group: 'PRIVATE_KEY',
    source:
      `-----BEGIN ${LABEL}` +
      // Up to the END line when it comes before any other line of dashes; else to the end of the key.
      `(?:(?:[^-]|-{1,4}[^-])*-----END ${LABEL}|${KEY_LINES})?`,
  },
  { name: 'google_api_key', group: 'GOOGLE_API_KEY', source: 'AIza[0-9A-Za-z_-]{35}', isExact: true },
  { name: 'slack_token', group: 'SLACK_TOKEN', source: 'xox[abprs]-[0-9A-Za-z-]{10,}' },
  { name: 'stripe_key', group: 'STRIPE_KEY', source: '(?:sk|rk)_live_[0-9A-Za-z]{16,}' },
  {
    name: 'jwt',
    group: 'JWT',
    source: 'eyJ[A-Za-z0-9_-]{7,}\\.eyJ[A-Za-z0-9_-]{7,}\\.[A-Za-z0-9_-]{10,}',
  },
]

/** The built-in patterns, the more specific before the more general. */
export const BUILTIN_PATTERNS: readonly BuiltinPattern[] = DEFINITIONS.map((definition) => {
  let compiled: CompiledPattern | undefined
  return {
    name: definition.name,
    aliases: definition.aliases ?? [],
    group: definition.group,
    groupAliases: definition.groupAliases ?? [],
    get pattern() {
      compiled ??= compile(definition)
      return compiled
    },
  }
})

function compile({ name, source, isExact }: Definition): CompiledPattern {
  return new CompiledPattern(source, {
    notAfter: name === 'private_key_block' ? undefined : KEY_CHARACTERS,
    notBefore: isExact ? KEY_CHARACTERS : undefined,
  })
}
