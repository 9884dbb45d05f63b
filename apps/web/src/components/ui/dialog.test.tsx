// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { ConfirmDialog, Dialog } from './dialog.tsx'
import { completeTestDocument } from './test-document.ts'

beforeAll(async () => {
  completeTestDocument()
  await startTestTranslations()
})
afterEach(cleanup)

function Page({ isDismissable = true }: { readonly isDismissable?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <Dialog title="Details" isDismissable={isDismissable} onClose={() => setOpen(false)}>
          <input aria-label="Name" />
        </Dialog>
      )}
    </>
  )
}

function openPage(isDismissable?: boolean): { readonly opener: HTMLElement; readonly dialog: HTMLElement } {
  render(<Page {...(isDismissable === undefined ? {} : { isDismissable })} />)
  const opener = screen.getByRole('button', { name: 'Open' })
  opener.focus()
  fireEvent.click(opener)
  return { opener, dialog: screen.getByRole('dialog', { name: 'Details' }) }
}

describe('Dialog', () => {
  it('takes the focus, hides the page behind it, and gives the focus back', async () => {
    const { opener, dialog } = openPage()
    await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
    expect(screen.queryByRole('button', { name: 'Open' })).toBeNull()
    fireEvent.keyDown(document.activeElement ?? dialog, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(opener))
  })

  it('stays on Esc where it has to be answered', async () => {
    const { dialog } = openPage(false)
    await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
    fireEvent.keyDown(document.activeElement ?? dialog, { key: 'Escape' })
    expect(screen.getByRole('dialog')).toBe(dialog)
  })
})

describe('ConfirmDialog', () => {
  function ask(more: { readonly typed?: string; readonly busy?: boolean } = {}) {
    const onConfirm = vi.fn()
    const onClose = vi.fn()
    render(
      <ConfirmDialog title="Delete it?" action="Delete" onConfirm={onConfirm} onClose={onClose} {...more}>
        It is gone then.
      </ConfirmDialog>,
    )
    return { onConfirm, onClose, button: screen.getByRole<HTMLButtonElement>('button', { name: 'Delete' }) }
  }

  it('acts on its button alone', () => {
    const { onConfirm, onClose, button } = ask()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect([onConfirm.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 1])
    fireEvent.click(button)
    expect(onConfirm).toHaveBeenCalledOnce()
  })

  it('waits for the name where that is asked for', () => {
    const { onConfirm, button } = ask({ typed: 'house' })
    expect(button.disabled).toBe(true)
    const field = screen.getByRole('textbox', { name: 'Type house to confirm' })
    fireEvent.change(field, { target: { value: 'hous' } })
    expect(button.disabled).toBe(true)
    fireEvent.change(field, { target: { value: 'house' } })
    fireEvent.click(button)
    expect(onConfirm).toHaveBeenCalledOnce()
  })

  it('does not act twice while it works', () => {
    const { onConfirm, button } = ask({ busy: true })
    fireEvent.click(button)
    expect(onConfirm).not.toHaveBeenCalled()
    expect(button.getAttribute('aria-disabled')).toBe('true')
  })
})
