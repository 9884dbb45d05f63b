import { applyChanges } from '../changes.ts'
import { ChatArchive, type StorageState } from './chat-archive.ts'
import {
  addTurn,
  addVersion,
  dropMessage,
  judgeUnfinished,
  measureChat,
  reopenAnswer,
  replaceMessage,
  SILENCE_MS,
} from './chat-edits.ts'
import { Drafts } from './drafts.ts'
import { isRefusal } from './failure.ts'
import { createObservable, type MutableObservable, type Observable } from './observable.ts'
import { type LiveAnswer, runAnswer } from './run-answer.ts'
import { askAgain, decide, listAsked } from './tool-calls.ts'
import { findNewestLeaf, listPath, listSubtree } from './tree.ts'
import {
  type Attachment,
  type Chat,
  type ChatEntry,
  type ChatSettings,
  createId,
  DEFAULT_SETTINGS,
  type Message,
} from './types.ts'

/** A chat as the page sees it. `missing`: this browser has no chat of that id. */
export type ChatView = { readonly state: 'loading' | 'missing' } | ({ readonly state: 'ready' } & Chat)

interface Run {
  readonly messageId: string
  readonly controller: AbortController
  readonly live: MutableObservable<LiveAnswer | undefined>
}

/** Chats that stay in memory though no page shows them. */
const MAX_OPEN = 12
/** A message that streams is written to the disk this often. */
const SAVE_MS = 500

/** The chats of a viewer, and the answers that are being written. It outlives every page. */
export class ChatStore {
  readonly drafts: Drafts
  readonly #archive: ChatArchive
  readonly #chats = new Map<string, MutableObservable<ChatView>>()
  readonly #runs = new Map<string, Run>()
  readonly #running = createObservable<ReadonlySet<string>>(new Set())
  readonly #tab = readTab()

  constructor(viewerId: string) {
    this.drafts = new Drafts(viewerId)
    this.#archive = new ChatArchive(viewerId, (chatId) => void this.#reload(chatId))
    // a page that becomes hidden may be closed without another word
    const saveAll = () => {
      for (const [chatId] of this.#runs) this.#saveLive(chatId)
    }
    addEventListener('pagehide', saveAll)
    document.addEventListener('visibilitychange', saveAll)
  }

  /** The list of chats, newest first; undefined while it is read. */
  get entries(): Observable<readonly ChatEntry[] | undefined> {
    return this.#archive.entries
  }

  get storage(): Observable<StorageState> {
    return this.#archive.storage
  }

  /** The chats whose answers are being written. */
  get running(): Observable<ReadonlySet<string>> {
    return this.#running
  }

  /** A chat with its messages, read from the disk when it is asked for first. */
  open(chatId: string): Observable<ChatView> {
    const known = this.#chats.get(chatId)
    if (known !== undefined) return known
    for (const [id, view] of this.#chats) {
      if (this.#chats.size >= MAX_OPEN && !view.isWatched() && !this.#runs.has(id)) this.#chats.delete(id)
    }
    const view = createObservable<ChatView>({ state: 'loading' })
    this.#chats.set(chatId, view)
    void this.#reload(chatId)
    return view
  }

  /** The answer that is being written in a chat, if any. */
  watchLive(chatId: string): Observable<LiveAnswer | undefined> {
    return this.#runs.get(chatId)?.live ?? NOTHING
  }

  /** Begins a chat; it is kept once it holds a message. @param id of the chat, where an address names it already */
  createChat(model: string, settings: ChatSettings = DEFAULT_SETTINGS, id = createId()): ChatEntry {
    const now = Date.now()
    const entry = { id, title: '', createdAt: now, updatedAt: now, model, settings, leafId: null, bytes: 0 }
    const view = this.#chats.get(id) ?? createObservable<ChatView>({ state: 'loading' })
    view.set({ state: 'ready', entry, messages: [] })
    this.#chats.set(id, view)
    return entry
  }

  /**
   * Sends a message and begins the answer. A message that the server refuses goes back into the draft of the chat.
   *
   * @param editedId the message that this is a new version of; else it follows the end of the chat
   */
  send(chatId: string, text: string, attachments: readonly Attachment[], editedId?: string): void {
    const { entry, messages } = this.#read(chatId)
    if (this.#runs.has(chatId)) return
    const edited = messages.find(({ id }) => id === editedId)
    const parentId = edited === undefined ? entry.leafId : edited.parentId
    const user = this.#createMessage(chatId, parentId, { role: 'user', text, attachments })
    const answer = this.#createMessage(chatId, user.id, { role: 'assistant', model: entry.model, state: 'streaming' })
    this.#put(addTurn({ entry, messages }, user, answer), [user, answer])
    void this.#run(chatId, answer, (failure) => {
      this.#drop(chatId, user.id, entry.leafId)
      this.drafts.open(chatId).set({ text, attachments, editedId, failure })
    })
  }

  /** Asks for another version of an answer. */
  regenerate(chatId: string, messageId: string): void {
    const { entry, messages } = this.#read(chatId)
    const old = messages.find(({ id }) => id === messageId)
    if (old === undefined || this.#runs.has(chatId)) return
    const fields = { role: 'assistant', model: entry.model, state: 'streaming' } as const
    const answer = this.#createMessage(chatId, old.parentId, fields)
    this.#put(addVersion({ entry, messages }, answer), [answer])
    void this.#run(chatId, answer)
  }

  /** Continues an answer that broke off. */
  continueAnswer(chatId: string, messageId: string): void {
    const { entry, messages } = this.#read(chatId)
    const old = messages.find(({ id }) => id === messageId)
    if (old === undefined || this.#runs.has(chatId)) return
    const answer = reopenAnswer(old, this.#toWriter())
    const now = { ...entry, updatedAt: Date.now() }
    this.#put({ entry: now, messages: replaceMessage(messages, answer) }, [answer])
    void this.#run(chatId, answer)
  }

  /** Allows or declines calls of tools that wait for the reader. After the last decision the answer goes on. */
  decideCalls(chatId: string, messageId: string, callIds: readonly string[], isAllowed: boolean): void {
    const { entry, messages } = this.#read(chatId)
    const old = messages.find(({ id }) => id === messageId)
    if (old === undefined || this.#runs.has(chatId)) return
    const decided = decide(old, new Set(callIds), isAllowed)
    this.#put({ entry, messages: replaceMessage(messages, decided) }, [decided])
    if (listAsked(decided).length === 0) this.continueAnswer(chatId, messageId)
  }

  /** Ends the answer that is being written, or calls off its retry. */
  stop(chatId: string): void {
    const run = this.#runs.get(chatId)
    const responseId = run?.live.get()?.message.background?.responseId
    if (responseId !== undefined && responseId !== '') this.#archive.cancelResponse(responseId)
    run?.controller.abort()
  }

  /** Shows another version of a message, with its successors. */
  showVersion(chatId: string, messageId: string): void {
    const { entry, messages } = this.#read(chatId)
    if (this.#runs.has(chatId)) return
    this.#put({ entry: { ...entry, leafId: findNewestLeaf(messages, messageId) }, messages }, [])
  }

  /** Removes a message and its successors. @returns a function that brings them back */
  removeMessage(chatId: string, messageId: string): () => void {
    const { entry, messages } = this.#read(chatId)
    const parentId = messages.find(({ id }) => id === messageId)?.parentId ?? null
    if (this.#runs.has(chatId)) return () => {}
    const removed = listSubtree(messages, messageId)
    this.#drop(chatId, messageId, parentId)
    return () => {
      const now = this.#read(chatId)
      const returned = messages.filter(({ id }) => removed.has(id))
      const back = { entry: { ...now.entry, leafId: entry.leafId }, messages: [...now.messages, ...returned] }
      this.#put(back, returned)
    }
  }

  /** Changes title, model or settings of a chat. */
  change(chatId: string, fields: Partial<Pick<ChatEntry, 'title' | 'model' | 'settings'>>): void {
    const { entry, messages } = this.#read(chatId)
    this.#put({ entry: { ...entry, ...fields }, messages }, [])
  }

  /** Removes a chat. @returns a function that brings it back */
  async removeChat(chatId: string): Promise<() => void> {
    this.stop(chatId)
    const chat = await this.#archive.readChat(chatId)
    this.#chats.get(chatId)?.set({ state: 'missing' })
    this.#chats.delete(chatId)
    await this.#archive.remove(chatId)
    return () => {
      if (chat !== undefined) this.addChats([chat])
    }
  }

  /** Adds chats, such as imported ones; a chat of the same id is replaced. */
  addChats(chats: readonly Chat[]): void {
    for (const chat of chats) this.#put(chat, chat.messages)
  }

  /** Reads chats from the disk, for an export. @param ids undefined for all */
  readChats(ids?: ReadonlySet<string>): Promise<readonly Chat[]> {
    return this.#archive.readChats(ids)
  }

  #read(chatId: string): Chat {
    const view = this.#chats.get(chatId)?.get()
    if (view?.state !== 'ready') throw new Error(`the chat ${chatId} is not open`)
    return view
  }

  #createMessage(chatId: string, parentId: string | null, fields: Pick<Message, 'role'> & Partial<Message>): Message {
    const empty = { text: '', attachments: [], reasoning: '', toolCalls: [], state: 'done' } as const
    const writer = fields.state === 'streaming' ? this.#toWriter() : undefined
    return { id: createId(), chatId, parentId, createdAt: Date.now(), ...empty, writer, ...fields }
  }

  #toWriter() {
    return { tab: this.#tab, at: Date.now() }
  }

  /** Shows a chat and writes its changes. */
  #put(next: Chat, changed: readonly Message[]): void {
    const chat = measureChat(next)
    this.#chats.get(chat.entry.id)?.set({ state: 'ready', ...chat })
    if (chat.messages.length > 0) this.#archive.write(chat.entry, changed)
  }

  #drop(chatId: string, messageId: string, leafId: string | null): void {
    const before = this.#read(chatId)
    const { removed, ...chat } = dropMessage(before, messageId, leafId)
    this.#put(chat, [])
    const entry = { ...before.entry, leafId: chat.entry.leafId }
    this.#archive.removeMessages(entry, removed, chat.messages.length === 0)
  }

  /** @param onRefused instead of keeping a message that the server refused before it began to answer */
  async #run(chatId: string, answer: Message, onRefused?: (failure: Message['failure']) => void): Promise<void> {
    const { entry, messages } = this.#read(chatId)
    const controller = new AbortController()
    const live = createObservable<LiveAnswer | undefined>(undefined)
    this.#runs.set(chatId, { messageId: answer.id, controller, live })
    this.#running.set(new Set(this.#runs.keys()))
    const timer = setInterval(() => this.#saveLive(chatId), SAVE_MS)
    const path = listPath(messages, answer.id)
    const finished = await runAnswer({
      message: answer,
      request: { ...entry, path: answer.text === '' && answer.toolCalls.length === 0 ? path.slice(0, -1) : path },
      isResumed: answer.background !== undefined,
      signal: controller.signal,
      publish: (now) => {
        const wasNamed = live.get()?.message.background !== undefined
        live.set(now)
        // a later page finds the answer by its name on the server
        if (!wasNamed && now.message.background !== undefined) this.#saveLive(chatId)
      },
    })
    clearInterval(timer)
    // streams pass by the API client
    applyChanges(['inference'])
    this.#runs.delete(chatId)
    const { failure, text, reasoning } = finished
    if (failure?.status === 401) this.#archive.reportSignedOut()
    if (onRefused !== undefined && failure !== undefined && isRefusal(failure) && text + reasoning === '') {
      onRefused(failure)
    } else {
      const now = this.#read(chatId)
      const entry = { ...now.entry, updatedAt: Date.now() }
      this.#put({ entry, messages: replaceMessage(now.messages, finished) }, [finished])
    }
    this.#running.set(new Set(this.#runs.keys()))
    live.set(undefined)
  }

  #saveLive(chatId: string): void {
    const message = this.#runs.get(chatId)?.live.get()?.message
    if (message !== undefined) this.#archive.writeMessage({ ...message, writer: this.#toWriter() })
  }

  /** Reads a chat from the disk, unless this page writes to it. */
  async #reload(chatId: string): Promise<void> {
    const view = this.#chats.get(chatId)
    if (view === undefined || this.#runs.has(chatId)) return
    const chat = await this.#archive.readChat(chatId)
    // it may have begun here meanwhile
    if (this.#runs.has(chatId) || (view.get().state === 'ready' && chat === undefined)) return
    if (chat === undefined) return view.set({ state: 'missing' })
    view.set({ state: 'ready', ...chat })
    for (const message of chat.messages) if (message.state === 'streaming') this.#revive(chatId, message)
  }

  /** Continues a message that streamed when its page went away, or marks it. */
  #revive(chatId: string, message: Message): void {
    const fate = judgeUnfinished(message, { tab: this.#tab, now: Date.now() })
    if (fate === 'wait') return void setTimeout(() => void this.#reload(chatId), SILENCE_MS)
    if (fate === 'resume' && !this.#runs.has(chatId)) return void this.#run(chatId, message)
    const { entry, messages } = this.#read(chatId)
    const marked: Message = { ...askAgain(message), state: 'interrupted', writer: undefined }
    this.#put({ entry, messages: replaceMessage(messages, marked) }, [marked])
  }
}

const NOTHING = createObservable<LiveAnswer | undefined>(undefined)

/** The id of this tab, which a reload keeps. */
function readTab(): string {
  const known = sessionStorage.getItem('svc-tab')
  if (known !== null) return known
  const tab = createId()
  sessionStorage.setItem('svc-tab', tab)
  return tab
}
