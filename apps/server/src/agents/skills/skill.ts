import { SvcError } from '@svc/errors'

/** What stands in the head of `SKILL.md`. */
export interface SkillHead {
  /** The name of its folder: lower-case letters, digits and single hyphens, 1 to 64. */
  readonly name: string
  /** What the skill does and when to use it, 1 to 4096 characters. */
  readonly description: string
  readonly license?: string | undefined
  readonly compatibility?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly allowedTools?: string | undefined
}

/** A skill. */
export interface Skill extends SkillHead {
  /** The instructions: `SKILL.md` without its head. */
  readonly content: string
}

/** A file of a skill beside `SKILL.md`. */
export interface SkillResource {
  /** Relative to the skill, with slashes. */
  readonly path: string
  readonly sizeBytes: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** Bounds of skills. */
export const SKILL_LIMITS = {
  skills: 500,
  /** Files of one skill. */
  files: 500,
  /** Bytes of `SKILL.md`. */
  headBytes: 256 * 1024,
  /** Characters of its head of YAML, whose reader takes time by the square of the number of keys. */
  yamlCharacters: 32 * 1024,
  fileBytes: 16 * 1024 * 1024,
  /** Bytes of all files of one skill. */
  totalBytes: 64 * 1024 * 1024,
  /** Bytes of the path of a resource. */
  pathBytes: 100,
  depth: 8,
} as const

const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u
const MAX_NAME = 64
/** Parts of the addresses of routes. */
const RESERVED = new Set(['config', 'export', 'import', 'search'])
/** Plain signs, so that no two names look alike; no segment begins with a dot. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_. +@()-]*$/u

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md'

/** @throws {SvcError} `invalid_request` */
export function checkSkillName(name: string): void {
  if (RESERVED.has(name)) throw wrongSkill(`name: '${name}' is reserved`)
  if (SKILL_NAME.test(name) && name.length <= MAX_NAME) return
  throw wrongSkill('name: must have 1 to 64 lower-case letters, digits and single hyphens between them')
}

/** Checks the path of a resource. @throws {SvcError} `invalid_request` */
export function checkResourcePath(path: string): void {
  const segments = path.split('/')
  const isPlain = segments.every((segment) => SEGMENT.test(segment) && !/[. ]$/u.test(segment))
  if (!isPlain || segments.length > SKILL_LIMITS.depth || path.length > SKILL_LIMITS.pathBytes) {
    throw wrongSkill(
      `path: must have at most ${SKILL_LIMITS.pathBytes} plain letters, digits and signs in ${SKILL_LIMITS.depth} parts that begin with no dot`,
    )
  }
  if (path.toLowerCase() === SKILL_FILE.toLowerCase()) throw wrongSkill(`path: ${SKILL_FILE} is changed with its skill`)
}

/** The refusal of a skill that cannot be one. */
export function wrongSkill(message: string, cause?: unknown): SvcError {
  return new SvcError('invalid_request', message, { cause })
}

/** The refusal of a name that no skill, or no resource, has. */
export function skillNotFound(name: string): SvcError {
  return new SvcError('not_found', `skill not found: ${name.slice(0, MAX_NAME)}`)
}
