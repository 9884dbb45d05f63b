// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { RowMenu } from './menu.tsx'
import { completeTestDocument } from './test-document.ts'

beforeAll(completeTestDocument)
afterEach(cleanup)

function openMenu() {
  const onEdit = vi.fn()
  const onDelete = vi.fn()
  render(
    <RowMenu
      label="Actions"
      entries={[
        { id: 'edit', text: 'Edit', onSelect: onEdit },
        { id: 'delete', text: 'Delete', isDisabled: true, separator: true, onSelect: onDelete },
      ]}
    />,
  )
  const button = screen.getByRole('button', { name: 'Actions' })
  fireEvent.click(button)
  return { button, onEdit, onDelete, menu: screen.getByRole('menu', { name: 'Actions' }) }
}

it('opens from its button, and says so', () => {
  const { menu } = openMenu()
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual(['Edit', 'Delete'])
  expect(menu.querySelector('[role="separator"]')).not.toBeNull()
  expect(screen.getByRole('button', { name: 'Actions', hidden: true }).getAttribute('aria-expanded')).toBe('true')
})

it('runs the chosen entry and closes', async () => {
  const { onEdit } = openMenu()
  fireEvent.click(screen.getByRole('menuitem', { name: 'Edit' }))
  expect(onEdit).toHaveBeenCalledOnce()
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
})

it('leaves an entry that is off alone', () => {
  const { onDelete } = openMenu()
  const entry = screen.getByRole('menuitem', { name: 'Delete' })
  expect(entry.getAttribute('aria-disabled')).toBe('true')
  fireEvent.click(entry)
  expect(onDelete).not.toHaveBeenCalled()
})

it('closes on Esc and gives the focus back', async () => {
  const { button, menu } = openMenu()
  await waitFor(() => expect(menu.contains(document.activeElement)).toBe(true))
  fireEvent.keyDown(document.activeElement ?? menu, { key: 'Escape' })
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(button))
})
