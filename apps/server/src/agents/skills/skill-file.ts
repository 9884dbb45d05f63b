import { parseDocument, stringify } from 'yaml'
import * as z from 'zod'
import { checkSkillName, SKILL_LIMITS, type Skill, type SkillHead, wrongSkill } from './skill.ts'

const head = z.object({
  name: z.string(),
  // The format allows 1024, and published skills have more.
  description: z.string().trim().min(1).max(4096),
  license: z.string().max(1024).optional(),
  compatibility: z.string().max(500).optional(),
  metadata: z.record(z.string().max(128), z.coerce.string().max(4096)).optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string()).transform((tools) => tools.join(' '))]).optional(),
})

const FENCE = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/u

/**
 * Reads `SKILL.md`: a head of YAML between two lines of `---`, then the instructions.
 *
 * @throws {SvcError} `invalid_request`
 */
export function readSkillFile(text: string): Skill {
  const found = FENCE.exec(text)
  if (found === null) throw wrongSkill('SKILL.md: must begin with a head of YAML between lines of ---')
  const [whole, yaml = ''] = found
  if (yaml.length > SKILL_LIMITS.yamlCharacters) {
    throw wrongSkill(`SKILL.md: its head has more than ${SKILL_LIMITS.yamlCharacters} characters`)
  }
  const document = parseDocument(yaml, { schema: 'core', uniqueKeys: true })
  const [fault] = document.errors
  if (fault !== undefined) throw wrongSkill(`SKILL.md: its head is not YAML: ${fault.message.split('\n')[0]}`)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 0 })
  } catch (error) {
    throw wrongSkill('SKILL.md: its head has aliases', error)
  }
  const read = head.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    throw wrongSkill(`SKILL.md: ${issue?.path.join('.') || 'its head'}: ${issue?.message}`)
  }
  const { 'allowed-tools': allowedTools, ...rest } = read.data
  checkSkillName(rest.name)
  return { ...rest, allowedTools, content: text.slice(whole.length).trim() }
}

/** Writes `SKILL.md`. @throws {SvcError} `invalid_request` for facts that it could not be read from, or too many */
export function writeSkillFile({ content, allowedTools, ...rest }: Skill): string {
  const facts: SkillHead = rest
  const written = { ...facts, 'allowed-tools': allowedTools }
  const used = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined && value !== ''))
  const text = `---\n${stringify(used, { lineWidth: 0 })}---\n\n${content.trim()}\n`
  if (Buffer.byteLength(text) > SKILL_LIMITS.headBytes) {
    throw wrongSkill(`SKILL.md: has more than ${SKILL_LIMITS.headBytes} bytes`)
  }
  readSkillFile(text)
  return text
}
