// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { startTestTranslations } from '../../i18n/test-translations.ts'
import { ShownOnceDialog } from './shown-once.tsx'

// jsdom has no CSS interface, which the library asks for its settings
vi.stubGlobal('CSS', { escape: (text: string) => text })
afterEach(cleanup)

it('closes by its button alone, so that a secret is not lost by a stray key', async () => {
  await startTestTranslations()
  const onClose = vi.fn()
  render(
    <ShownOnceDialog title="Key" warning="Store it." blocks={[{ title: 'Value', text: 'svc-1' }]} onClose={onClose} />,
  )
  const dialog = await screen.findByRole('dialog', { name: 'Key' })
  fireEvent.keyDown(dialog, { key: 'Escape' })
  fireEvent.pointerDown(document.body)
  fireEvent.pointerUp(document.body)
  expect(onClose).not.toHaveBeenCalled()
  expect(screen.getByText('svc-1')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'I have stored it' }))
  expect(onClose).toHaveBeenCalledOnce()
})
