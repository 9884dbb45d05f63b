import { useEffect, useRef, useState } from 'react'
import { readAnnouncements } from '../../lib/chat/announcements.ts'
import { takeSentences } from '../../lib/chat/sentences.ts'

/** Screen readers hear finished sentences at most this often. */
const INTERVAL_MS = 2_000

/** Announces an answer to screen readers, sentence by sentence, while it grows. */
export function Announcer({ text }: { readonly text: string }) {
  const [said, setSaid] = useState('')
  const now = useRef(text)
  now.current = text
  useEffect(() => {
    if (!readAnnouncements()) return undefined
    // the announcer starts at the end of the text: a reader who comes back hears only new sentences
    let end = now.current.length
    const timer = setInterval(() => {
      const taken = takeSentences(now.current, end, false)
      end = taken.end
      if (taken.text !== '') setSaid(taken.text)
    }, INTERVAL_MS)
    return () => {
      clearInterval(timer)
      announceRest(takeSentences(now.current, end, true).text)
    }
  }, [])
  return (
    <div className="visuallyHidden" role="log" aria-live="polite" aria-atomic="true">
      {said}
    </div>
  )
}

/** Announces the end of an answer in a part of the page that outlives the growing message. */
function announceRest(text: string): void {
  const rest = document.querySelector('[data-chat-rest]')
  if (rest !== null) rest.textContent = text
}
