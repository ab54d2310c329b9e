/** Notices of the system and a sound, as far as the browser and its user let us. */

export type NoticeState = "unsupported" | "blocked" | "undecided" | "allowed";

const STATES: Record<NotificationPermission, NoticeState> = {
  default: "undecided",
  denied: "blocked",
  granted: "allowed",
};

export function noticeState(): NoticeState {
  return "Notification" in globalThis ? STATES[Notification.permission] : "unsupported";
}

/** Asks the user, if they have not decided yet. */
export async function askForNotices(): Promise<NoticeState> {
  if (noticeState() === "undecided") await Notification.requestPermission();
  return noticeState();
}

interface Notice {
  title: string;
  body: string;
  /** One with the same name takes its place. */
  name: string;
  onOpen: () => void;
}

export function showNotice({ title, body, name, onOpen }: Notice): void {
  if (noticeState() !== "allowed") return;
  try {
    const notice = new Notification(title, { body, tag: name });
    notice.onclick = () => {
      window.focus();
      notice.close();
      onOpen();
    };
  } catch {
    // Phones let only installed pages show notices, and say so in this way.
  }
}

/** Two notes, a fifth apart. */
const NOTES_HZ = [660, 990];
const NOTE_SECONDS = 0.18;
const LOUDNESS = 0.08;

export function chime(): void {
  if (!("AudioContext" in globalThis)) return;
  const audio = new AudioContext();
  for (const [index, frequency] of NOTES_HZ.entries()) {
    const begins = audio.currentTime + index * NOTE_SECONDS;
    const tone = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(LOUDNESS, begins);
    volume.gain.exponentialRampToValueAtTime(LOUDNESS / 100, begins + NOTE_SECONDS);
    tone.connect(volume).connect(audio.destination);
    tone.start(begins);
    tone.stop(begins + NOTE_SECONDS);
    if (index === NOTES_HZ.length - 1) tone.onended = () => void audio.close();
  }
}
