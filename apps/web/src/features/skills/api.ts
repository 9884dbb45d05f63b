import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import { toUrl } from '../../lib/base-path.ts'

const path = (name: string) => ({ params: { path: { name } } })

const fetchSkills = (signal: AbortSignal) => unwrap(api.GET('/api/agents/skills', { signal }))

/** A skill with its instructions. */
export type Skill = Awaited<ReturnType<typeof fetchSkills>>[number]

/** All skills, by name. */
export const skillsQuery = queryOptions({ queryKey: ['skills'], queryFn: ({ signal }) => fetchSkills(signal) })

/** Whether agents are offered skills, and where skills are. */
export const skillConfigQuery = queryOptions({
  queryKey: ['skills', 'config'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/agents/skills/config', { signal })),
})

export const skillQuery = (name: string) =>
  queryOptions({
    queryKey: ['skills', 'one', name],
    queryFn: ({ signal }) => unwrap(api.GET('/api/agents/skills/{name}', { ...path(name), signal })),
  })

/** What a person writes of a skill. */
export interface SkillText {
  readonly description: string
  /** Markdown. */
  readonly content: string
}

export function createSkill(name: string, { description, content }: SkillText) {
  return unwrap(api.POST('/api/agents/skills', { body: { name, description, content } }))
}

/** Writes the text of a skill; its other members stay. */
export function updateSkill({ name, readOnly: _, ...kept }: Skill, text: SkillText) {
  return unwrap(api.PUT('/api/agents/skills/{name}', { ...path(name), body: { ...kept, ...text } }))
}

export function deleteSkill(name: string) {
  return unwrap(api.DELETE('/api/agents/skills/{name}', path(name)))
}

/** Makes a skill of an archive. @returns its name */
export async function importSkill(file: File): Promise<string> {
  const form = new FormData()
  form.set('file', file)
  // the schema says text where a form has a file
  const options = { body: { file: '' }, bodySerializer: () => form }
  return (await unwrap(api.POST('/api/agents/skills/import', options))).name
}

/** The address of the archive of a skill. */
export function findArchive(name: string): string {
  return toUrl(`api/agents/skills/export/${encodeURIComponent(name)}`)
}

async function fetchFiles(name: string, signal: AbortSignal) {
  const reply = await unwrap(api.GET('/api/agents/skills/{name}/resources', { ...path(name), signal }))
  const { scripts, references, assets, others } = reply
  return [...scripts, ...references, ...assets, ...others]
}

/** A file beside the instructions of a skill. */
export type SkillFile = Awaited<ReturnType<typeof fetchFiles>>[number]

/** The files of a skill beside its instructions. */
export const filesQuery = (name: string) =>
  queryOptions({ queryKey: ['skills', 'files', name], queryFn: ({ signal }) => fetchFiles(name, signal) })

/** The path of the route of a file; slashes stay. */
function toFilePath(name: string, file: string): string {
  return `api/agents/skills/${encodeURIComponent(name)}/resources/${file.split('/').map(encodeURIComponent).join('/')}`
}

/** The address of the bytes of a file. */
export const findFile = (name: string, file: string): string => toUrl(toFilePath(name, file))

const filePath = (name: string, file: string) => ({ params: { path: { name, path: file } } })

/** The text of a file. */
export const fileTextQuery = (name: string, file: string) =>
  queryOptions({
    queryKey: ['skills', 'text', name, file],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const options = { ...filePath(name, file), parseAs: 'text', signal } as const
      return (await unwrap(api.GET('/api/agents/skills/{name}/resources/{path}', options))) as string
    },
  })

/** Adds a file. @param place its path in the skill, such as `references/pots.md` */
export function addFile(name: string, file: File, place: string) {
  const form = new FormData()
  form.set('path', place)
  form.set('file', file)
  const options = { ...path(name), body: { file: '' }, bodySerializer: () => form }
  return unwrap(api.POST('/api/agents/skills/{name}/resources', options))
}

export function writeFile(name: string, file: string, content: string) {
  return unwrap(api.PUT('/api/agents/skills/{name}/resources/{path}', { ...filePath(name, file), body: { content } }))
}

export function deleteFile(name: string, file: string) {
  return unwrap(api.DELETE('/api/agents/skills/{name}/resources/{path}', filePath(name, file)))
}
