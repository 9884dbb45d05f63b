import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { saveFile } from '../../lib/download.ts'
import { formatDuration } from '../../lib/format.ts'
import {
  FORM_TYPES,
  TRANSCRIPT_FORMS,
  type TranscriptForm,
  writeShortTime,
  writeTranscript,
} from '../../lib/media/cues.ts'
import { findAt, type Line, type Transcript, toLines, toPieces } from '../../lib/media/transcript.ts'
import { useObjectUrl } from '../../lib/media/use-object-url.ts'
import * as styles from './playground.module.css'

/** A transcript beside its recording: the words follow the player, and a press on a time or a word moves it. */
export function TranscriptView({
  recording,
  transcript,
}: {
  readonly recording: File
  readonly transcript: Transcript
}) {
  const { t, i18n } = useTranslation('playground')
  const url = useObjectUrl(recording)
  const [isMute, setMute] = useState(false)
  useEffect(() => setMute(false), [url])
  const lines = useMemo(() => toLines(transcript), [transcript])
  const player = useRef<HTMLAudioElement>(null)
  const list = useRef<HTMLOListElement>(null)
  useFollowWords(player, list, lines)
  const seek = (seconds: number) => {
    if (player.current !== null) player.current.currentTime = seconds
  }
  const { language, duration, text } = transcript
  const name = recording.name.replace(/\.[^.]*$/, '') || 'transcript'
  const save = (form: TranscriptForm) =>
    saveFile(`${name}.${form}`, writeTranscript(form, lines, transcript), FORM_TYPES[form])
  return (
    <div className="card">
      <header>
        <h2>{t('transcription.transcript')}</h2>
        <span className="meta">
          {nameLanguage(language, i18n.language)}
          {language !== '' && <span className="separator" />}
          {formatDuration(duration * 1000)}
        </span>
        <span className="push">
          <CopyButton text={text} label={t('transcription.copy')} />
        </span>
      </header>
      <div className="cardBody stack">
        {/* biome-ignore lint/a11y/useMediaCaption: the transcript below is its text */}
        <audio
          ref={player}
          className={styles.player}
          controls
          src={url}
          aria-label={t('transcription.player', { name: recording.name })}
          onLoadedMetadata={({ currentTarget }) => findLength(currentTarget)}
          onError={() => setMute(url !== undefined)}
        />
        {isMute && <Notice>{t('transcription.notPlayable')}</Notice>}
        {lines.length === 0 ? (
          <Notice>{t('transcription.silence')}</Notice>
        ) : (
          <ScrollRegion className={styles.transcript} aria-label={t('transcription.lines')}>
            <ol ref={list}>
              {lines.map((line, index) => (
                <TranscriptLine key={index} line={line} onSeek={seek} />
              ))}
            </ol>
          </ScrollRegion>
        )}
        {lines.length > 0 && (
          <div className="row wrap">
            <span className="meta">{t('transcription.save')}</span>
            {TRANSCRIPT_FORMS.map((form) => (
              <Button key={form} small onClick={() => save(form)}>
                {form.toUpperCase()}
              </Button>
            ))}
          </div>
        )}
      </div>
    </div>
  )
}

/** Recordings of browsers have no length in their head; a look at their end finds it. */
function findLength(audio: HTMLAudioElement): void {
  if (audio.duration !== Number.POSITIVE_INFINITY) return
  const begin = () => {
    audio.currentTime = 0
  }
  audio.addEventListener('durationchange', begin, { once: true })
  audio.currentTime = Number.MAX_SAFE_INTEGER
}

function nameLanguage(language: string, shownIn: string): string {
  try {
    return new Intl.DisplayNames(shownIn, { type: 'language' }).of(language) ?? language
  } catch {
    // models name languages as they like
    return language
  }
}

function TranscriptLine({ line, onSeek }: { readonly line: Line; readonly onSeek: (seconds: number) => void }) {
  const { t } = useTranslation('playground')
  const { start, speaker } = line
  const time = writeShortTime(start)
  return (
    <li>
      <button type="button" aria-label={t('transcription.playFrom', { time })} onClick={() => onSeek(start)}>
        {time}
      </button>
      <p>
        {speaker !== '' && <b>{speaker} </b>}
        {toPieces(line).map((piece, index) =>
          piece.start === undefined ? (
            <Fragment key={index}>{piece.text}</Fragment>
          ) : (
            <span key={index} data-word={piece.start}>
              {piece.text}
            </span>
          ),
        )}
      </p>
    </li>
  )
}

/** Marks the word that is heard, by hand: drawing a long transcript with each step of the player would be slow. */
function useFollowWords(
  player: React.RefObject<HTMLAudioElement | null>,
  list: React.RefObject<HTMLOListElement | null>,
  lines: readonly Line[],
): void {
  useEffect(() => {
    const audio = player.current
    const rows = list.current
    if (audio === null || rows === null) return undefined
    let marked: readonly Element[] = []
    const follow = () => {
      const seconds = audio.currentTime
      const at = findAt(lines, seconds)
      const row = rows.children[at]
      const word = row?.querySelectorAll('[data-word]')[findAt(lines[at]?.words ?? [], seconds)]
      const next = [row, word].filter((element) => element !== undefined)
      for (const element of marked) if (!next.includes(element)) element.removeAttribute('data-now')
      for (const element of next) element.setAttribute('data-now', '')
      if (row !== undefined && !marked.includes(row) && !audio.paused) row.scrollIntoView({ block: 'nearest' })
      marked = next
    }
    const seekByWord = ({ target }: Event) => {
      const start = target instanceof Element ? target.closest('[data-word]')?.getAttribute('data-word') : undefined
      if (start != null) audio.currentTime = Number(start)
    }
    // the player tells its time four times a second, which is too seldom for words
    let frame = 0
    const step = () => {
      follow()
      frame = requestAnimationFrame(step)
    }
    const stop = () => {
      cancelAnimationFrame(frame)
      follow()
    }
    const start = () => {
      cancelAnimationFrame(frame)
      step()
    }
    const heard = new AbortController()
    const { signal } = heard
    audio.addEventListener('play', start, { signal })
    audio.addEventListener('pause', stop, { signal })
    audio.addEventListener('seeking', follow, { signal })
    rows.addEventListener('click', seekByWord, { signal })
    return () => {
      heard.abort()
      cancelAnimationFrame(frame)
    }
  }, [player, list, lines])
}
