// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { Pager } from './pager.tsx'
import * as styles from './scrolled-table.module.css'
import { RowGap, ScrolledTable } from './scrolled-table.tsx'
import { SortHeader, type SortOrder } from './sort-header.tsx'

beforeAll(startTestTranslations)
afterEach(cleanup)

describe('a table that sorts', () => {
  function Table() {
    const [order, setOrder] = useState<SortOrder<'name' | 'size'>>({ by: 'name', descending: false })
    return (
      <ScrolledTable label="Files" rowCount={500}>
        <thead>
          <tr>
            <SortHeader column="name" text="Name" order={order} onSort={setOrder} />
            <SortHeader column="size" text="Size" isNumber order={order} onSort={setOrder} />
          </tr>
        </thead>
        <tbody>
          <RowGap height={0} />
          <tr aria-rowindex={2}>
            <td>a</td>
            <td>1</td>
          </tr>
          <RowGap height={400} />
        </tbody>
      </ScrolledTable>
    )
  }

  const readSorts = () => screen.getAllByRole('columnheader').map((head) => head.getAttribute('aria-sort'))

  it('says by which column, and turns round on a second press', () => {
    render(<Table />)
    expect(readSorts()).toEqual(['ascending', null])
    fireEvent.click(screen.getByRole('button', { name: 'Name' }))
    expect(readSorts()).toEqual(['descending', null])
    // the largest figures come first
    fireEvent.click(screen.getByRole('button', { name: 'Size' }))
    expect(readSorts()).toEqual([null, 'descending'])
  })

  it('stays a real table of all its rows, in a box that the keyboard reaches', () => {
    render(<Table />)
    const box = screen.getByRole('region', { name: 'Files' })
    expect(box.tabIndex).toBe(0)
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('500')
    const gaps = box.querySelectorAll<HTMLElement>(`.${styles.rowGap} td`)
    expect([...gaps].map(({ style }) => style.height)).toEqual(['400px'])
  })
})

describe('Pager', () => {
  it('names the range and steps within the pages', () => {
    const onChange = vi.fn()
    render(<Pager page={2} size={50} total={120} onChange={onChange} />)
    expect(screen.getByRole('status').textContent).toBe('51 to 100 of 120')
    fireEvent.click(screen.getByRole('button', { name: 'Next page' }))
    fireEvent.click(screen.getByRole('button', { name: 'Previous page' }))
    expect(onChange.mock.calls).toEqual([[3], [1]])
  })

  it('ends at the first and at the last page', () => {
    const { rerender } = render(<Pager page={1} size={50} total={120} onChange={vi.fn()} />)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Previous page' }).disabled).toBe(true)
    rerender(<Pager page={3} size={50} total={120} onChange={vi.fn()} />)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Next page' }).disabled).toBe(true)
    expect(screen.getByRole('status').textContent).toBe('101 to 120 of 120')
  })

  it('is absent from a list of one page', () => {
    render(<Pager page={1} size={50} total={50} onChange={vi.fn()} />)
    expect(screen.queryByRole('navigation')).toBeNull()
  })
})
