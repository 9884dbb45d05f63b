import { expect, it } from 'vitest'
import type { AgentTask } from '../../../agents/task.ts'
import { taskForm } from './schemas.ts'
import { toTaskDraft } from './task-draft.ts'

const source = (path: string, key: string) =>
  ({ type: 'image', url: `https://media.example/${path}`, headers: { 'x-key': key } }) as const
const SOURCES = [source('a', 'one'), source('b', 'two'), source('b', 'three')]

const read = (sources: readonly unknown[]) =>
  toTaskDraft(taskForm.parse({ name: 'n', model: 'm', prompt: 'p', multimedia_sources: sources }), 0, {
    mediaSources: SOURCES,
  } as unknown as AgentTask).mediaSources

it('masked headers of sources keep their values', () => {
  const masked = SOURCES.map(({ url, type }) => ({ url, type, headers: { 'x-key': '***' } }))
  expect(read(masked)).toEqual(SOURCES)
  expect(read(masked.slice(1, 2))).toEqual(SOURCES.slice(1, 2))
  expect(() => read([source('c', '***')])).toThrow(/multimedia_sources\[0\].headers.x-key/)
  expect(() => read([{ ...masked[0], headers: { other: '***' } }])).toThrow(/not known/)
})
