// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { JsonTree } from './json-tree.tsx'
import * as syntaxStyles from './syntax.module.css'

afterEach(cleanup)

describe('JsonTree', () => {
  it('draws the first branches open and deeper ones on demand', () => {
    const { container } = render(<JsonTree value={{ a: { b: { c: 'deep' } } }} depth={2} />)
    const branches = container.querySelectorAll('details')
    expect([...branches].map(({ open }) => open)).toEqual([true, true, false])
    expect(screen.queryByText('"deep"')).toBeNull()
    const [, , closed] = branches
    if (closed === undefined) throw new Error('there is no third branch')
    closed.open = true
    fireEvent(closed, new Event('toggle'))
    expect(screen.getByText('"deep"')).toBeDefined()
  })

  it('draws long lists and texts in parts', () => {
    const { container } = render(<JsonTree value={{ list: Array.from({ length: 250 }, (_, index) => index) }} />)
    const count = () => container.querySelectorAll(`.${syntaxStyles.number}`).length
    expect(count()).toBe(100)
    fireEvent.click(screen.getByRole('button'))
    expect(count()).toBe(200)
    fireEvent.click(screen.getByRole('button'))
    expect(count()).toBe(250)
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('draws text of a model as text, never as markup', () => {
    const { container } = render(<JsonTree value={{ content: '<img src=x onerror=alert(1)>' }} />)
    expect(container.querySelector('img')).toBeNull()
    expect(screen.getByText('"<img src=x onerror=alert(1)>"')).toBeDefined()
  })

  it('draws empty values and all simple ones', () => {
    const { container } = render(<JsonTree value={[{}, [], null, true, 1.5, 'x']} />)
    expect(container.textContent).toContain('{}')
    expect(container.textContent).toContain('[]')
    for (const text of ['null', 'true', '1.5', '"x"']) expect(screen.getByText(text)).toBeDefined()
  })
})
