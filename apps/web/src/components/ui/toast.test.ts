// @vitest-environment jsdom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { notify } from './toast.ts'
// loads here and not with the first toast, which takes long on a busy machine
import { unmountToaster } from './toaster.tsx'

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} }))
})
afterEach(async () => {
  // a toast leaves by a timer, which must not find the document gone
  await waitFor(() => expect(document.querySelector('[data-sonner-toast]')).toBeNull())
  act(unmountToaster)
  vi.unstubAllGlobals()
})

it('shows what came of an action, with one next step', async () => {
  const onClick = vi.fn()
  await act(async () => notify('success', 'cedar is installed.', { label: 'Open in chat', onClick }))
  await screen.findByText('cedar is installed.')
  expect(screen.getByRole('region', { name: /Notifications/ }).getAttribute('aria-live')).toBe('polite')
  fireEvent.click(screen.getByRole('button', { name: 'Open in chat' }))
  expect(onClick).toHaveBeenCalledOnce()
})

it('shows a failure, which its button closes', async () => {
  await act(async () => notify('error', 'cedar could not be installed.'))
  await screen.findByText('cedar could not be installed.')
  for (const button of screen.getAllByRole('button', { name: 'Close toast' })) fireEvent.click(button)
  await waitFor(() => expect(screen.queryByText('cedar could not be installed.')).toBeNull())
})
