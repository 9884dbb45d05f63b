// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { GalleryProblems } from './gallery-problems.tsx'

beforeAll(startTestTranslations)
afterEach(cleanup)

it('says nothing about galleries that are read', () => {
  const { container } = render(<GalleryProblems galleries={[{ name: 'one' }, { name: 'two', warnings: [] }]} />)
  expect(container.innerHTML).toBe('')
})

it('names the gallery that cannot be read with the reason, and a few entries with faults', () => {
  const warnings = ['line 1: x', 'line 2: x', 'line 3: x', 'line 4: x']
  render(
    <GalleryProblems
      galleries={[
        { name: 'one', error: 'status 404' },
        { name: 'two', warnings },
      ]}
    />,
  )
  expect(screen.getByText('A gallery cannot be read.')).toBeDefined()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'one: status 404',
    ...warnings.slice(0, 3).map((warning) => `two: ${warning}`),
    'two: …',
  ])
})

it('tells faults of entries from a gallery that cannot be read', () => {
  render(<GalleryProblems galleries={[{ name: 'one', warnings: ['line 1: x'] }]} />)
  expect(screen.getByText('A gallery has entries with faults.')).toBeDefined()
})
