import { isUtf8 } from 'node:buffer'
import { SvcError } from '@svc/errors'
import type { ServerTool, ToolResult } from '../../inference/tools/server-tools.ts'
import { SKILL_FILE } from './skill.ts'
import type { Skills } from './skills.ts'

/** What a model is told of skills, and the tools with which it reads them. */
export interface SkillOffer {
  /** A part of the system prompt; empty without skills. */
  readonly prompt: string
  readonly tools: readonly ServerTool[]
}

const MAX_OFFERED = 100
const MAX_READ_CHARACTERS = 200_000

/**
 * Offers skills to a model: their names and descriptions, and a tool that reads their instructions and files. The model
 * reads no more than it needs.
 *
 * @param names the offered skills; missing ones are left out. @default all, up to 100
 */
export async function offerSkills(skills: Skills, names?: readonly string[]): Promise<SkillOffer> {
  const wanted = names === undefined ? undefined : new Set(names)
  const offered = (await skills.list()).filter(({ name }) => wanted?.has(name) ?? true).slice(0, MAX_OFFERED)
  if (offered.length === 0) return { prompt: '', tools: [] }
  const list = offered.map(({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/gu, ' ')}`)
  const prompt = [
    'You have skills: instructions for certain tasks. When a task fits the description of a skill, read the skill with the tool `read_skill` before you begin.',
    '',
    ...list,
  ].join('\n')
  return { prompt, tools: [createReadTool(skills, new Set(offered.map(({ name }) => name)))] }
}

function createReadTool(skills: Skills, offered: ReadonlySet<string>): ServerTool {
  return {
    name: 'read_skill',
    tool: 'read_skill',
    server: 'skills',
    description: 'Reads the instructions of a skill with the list of its files, or one of its files.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: [...offered] },
        path: { type: 'string', description: `A file of the skill. ${SKILL_FILE} when it is left out.` },
      },
      required: ['name'],
      additionalProperties: false,
    },
    hints: { readOnly: true, idempotent: true, destructive: false },
    approval: 'auto',
    async call({ name, path }) {
      if (typeof name !== 'string' || !offered.has(name)) {
        throw new SvcError('invalid_request', `name: must be one of ${[...offered].join(', ')}`)
      }
      if (path === undefined || path === '' || path === SKILL_FILE) return readInstructions(skills, name)
      if (typeof path !== 'string') throw new SvcError('invalid_request', 'path: must be a text')
      const bytes = await skills.readResource(name, path)
      return toResult(isUtf8(bytes) ? bytes.toString('utf8') : `${path} has ${bytes.length} bytes that are not text.`)
    },
  }
}

async function readInstructions(skills: Skills, name: string): Promise<ToolResult> {
  const { content } = await skills.get(name)
  const files = (await skills.resources(name)).map(({ path }) => `- ${path}`)
  return toResult(files.length === 0 ? content : `${content}\n\nFiles of this skill:\n${files.join('\n')}`)
}

function toResult(text: string): ToolResult {
  const isCut = text.length > MAX_READ_CHARACTERS
  const shown = isCut ? `${text.slice(0, MAX_READ_CHARACTERS)}\n[cut: the file is longer]` : text
  return { content: [{ type: 'text', text: shown }], isError: false }
}
