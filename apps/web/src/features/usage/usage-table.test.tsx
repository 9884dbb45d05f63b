// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import type { UsageRow } from './api.ts'
import { groupUsage } from './group-usage.ts'
import { UsageFigures } from './usage-figures.tsx'
import { UsageTable } from './usage-table.tsx'

beforeAll(startTestTranslations)
afterEach(cleanup)

const row = (model: string, details: Partial<UsageRow> = {}): UsageRow => ({
  bucket: '2026-01-01',
  model,
  user_id: 'u1',
  user_name: 'Ada',
  source: 'web',
  request_count: 1,
  prompt_tokens: 1000,
  completion_tokens: 234,
  total_tokens: 1234,
  ...details,
})
const show = (rows: readonly UsageRow[]) => groupUsage(rows, { group: 'model', metric: 'tokens' })

test('marks totals with estimated tokens, and no others', () => {
  render(
    <UsageTable groups={show([row('far', { estimated_tokens: 20 }), row('near')])} group="model" metric="tokens" />,
  )
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent)
  expect(cells.filter((text) => text?.endsWith('1,234'))).toEqual(['Tokens≈ 1,234', 'Tokens1,234'])
})

test('has a column and a sum for media that any group has', () => {
  const groups = show([row('voice', { media_seconds: 90.25, spoken_characters: 1200 }), row('near')])
  const { rerender } = render(<UsageTable groups={groups} group="model" metric="tokens" />)
  const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(heads().slice(5)).toEqual(['Media seconds', 'Spoken characters', 'Share of Tokens'])
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent)
  expect(cells.filter((text) => /^(Media|Spoken)/.test(text ?? '')).sort()).toEqual([
    'Media seconds0',
    'Media seconds90.3',
    'Spoken characters0',
    'Spoken characters1,200',
  ])
  rerender(<UsageFigures groups={groups} />)
  const names = screen.getAllByRole('term').map(({ textContent }) => textContent)
  expect(names.slice(4)).toEqual(['Media seconds', 'Spoken characters'])
  rerender(<UsageTable groups={show([row('near')])} group="model" metric="tokens" />)
  expect(heads()).toHaveLength(6)
})

test('sums what is cached, thought or estimated where there is any', () => {
  const { rerender } = render(<UsageFigures groups={show([row('near')])} />)
  const names = () => screen.getAllByRole('term').map(({ textContent }) => textContent)
  expect(names()).toEqual(['Requests', 'Tokens', 'Prompt tokens', 'Completion tokens'])
  const details = { cached_tokens: 64, estimated_tokens: 7 }
  rerender(<UsageFigures groups={show([row('near', details), row('far', details)])} />)
  expect(names().slice(4)).toEqual(['Cached tokens', 'Estimated tokens'])
  expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual([
    '2',
    '2,468',
    '2,000',
    '468',
    '128',
    '14',
  ])
})
