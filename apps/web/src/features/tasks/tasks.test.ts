// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { toDraft, toForm } from './form-values.ts'
import { listParameters } from './parameters.ts'
import { findRuns, formatRun } from './schedule.ts'
import { readJobsSearch } from './search.ts'

describe('the parameters of a prompt', () => {
  it.each([
    ['no parameters', []],
    ['Weather in {{.city}} and {{ .city }} for {{- .days -}}', ['city', 'days']],
    ['{{if .formal}}Dear {{.name | upper}}{{end}}', ['formal', 'name']],
    ['{{/* .hidden */}}{{printf "a .b %s" .real}}', ['real']],
    ['{{.a.b}} {{range .list}}{{.}}{{end}} 3.5 .outside', ['a', 'list']],
  ])('of %j are %j', (prompt, names) => {
    expect(listParameters(prompt)).toEqual(names)
  })
})

describe('a schedule', () => {
  const after = new Date('2026-03-27T12:00:00Z')

  it('runs at the wall time of its zone, also over a change of clocks', () => {
    const found = findRuns('30 9 * * *', 'Europe/Berlin', { count: 3, after })
    expect('runs' in found && found.runs.map((run) => run.toISOString())).toEqual([
      '2026-03-28T08:30:00.000Z',
      '2026-03-29T07:30:00.000Z',
      '2026-03-30T07:30:00.000Z',
    ])
  })
  it('takes names', () => {
    expect(findRuns('@weekly', 'UTC', { count: 1, after })).toEqual({ runs: [new Date('2026-03-29T00:00:00Z')] })
  })
  it.each([
    ['61 * * * *', 'UTC', 'pattern'],
    ['* * * * * *', 'UTC', 'pattern'],
    ['0 0 31 2 *', 'UTC', 'never'],
    ['0 0 * * *', 'Mars/Base', 'zone'],
    ['0 0 * * *', '', 'zone'],
  ])('%j in %j has the problem %s', (cron, zone, problem) => {
    expect(findRuns(cron, zone, { after })).toEqual({ problem })
  })
  it('is shown in its own zone', () => {
    expect(formatRun(new Date('2026-01-05T08:30:00Z'), 'Asia/Tokyo')).toMatch(/Monday.*05:30 PM.*GMT\+9/)
  })
})

describe('the form of a task', () => {
  const task = {
    id: 't1',
    name: 'Report',
    description: 'Daily',
    model: 'demo',
    prompt: 'Report on {{.topic}}',
    enabled: true,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    cron: '0 9 * * *',
    cron_timezone: 'UTC',
    cron_missed: 'once',
    cron_parameters: { topic: 'sales', gone: 'x' },
    multimedia_sources: [{ type: 'image', url: 'https://pictures.example/a.png', headers: { authorization: '***' } }],
  } as const

  it('gives back what it was made of, without parameters that the prompt has no more', () => {
    const { id: _, created_at: __, updated_at: ___, ...rest } = task
    expect(toDraft(toForm({ ...task, multimedia_sources: [...task.multimedia_sources] }))).toEqual({
      ...rest,
      cron_parameters: { topic: 'sales' },
    })
  })
  it('leaves the schedule out when there is none', () => {
    const form = { ...toForm(), name: ' Report ', model: 'demo', prompt: 'x' }
    expect(toDraft(form)).toEqual({
      name: 'Report',
      description: '',
      model: 'demo',
      prompt: 'x',
      enabled: true,
      multimedia_sources: [],
    })
  })
})

describe('search parameters of jobs', () => {
  it('turn unknown values into none', () => {
    expect(readJobsSearch({ status: 'lost', task: '' })).toEqual({ status: undefined, task: undefined })
    expect(readJobsSearch({ status: 'failed', task: 't1' })).toEqual({ status: 'failed', task: 't1' })
  })
})
