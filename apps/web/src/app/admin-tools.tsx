import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../components/ui/button.tsx'
import { useCapabilities } from '../lib/capabilities.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { hasFeature, useSession } from '../lib/session.ts'
import { OperationsButton } from './operations-button.tsx'

const AssistantPanel = lazyPart(async () => (await import('../features/chat/assistant-panel.tsx')).AssistantPanel)

/** What administrators have in the top bar: the operations, and the assistant. */
export function AdminTools() {
  const { operations, localai_assistant: hasAssistant } = useCapabilities()
  const { viewer } = useSession()
  return (
    <>
      {hasAssistant && hasFeature(viewer, 'chat') && (
        <Suspense>
          <AssistantButton />
        </Suspense>
      )}
      {operations && <OperationsButton />}
    </>
  )
}

function AssistantButton() {
  const { t } = useTranslation('chat')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton
        icon="thinking"
        label={t('assistant.title')}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <Suspense>
          <AssistantPanel onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
