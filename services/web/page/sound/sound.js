/** Small sounds, made here. They are off until the reader turns them on. */

/** @typedef {"rattle" | "bid" | "knock" | "lift" | "count" | "told"} Sound */

/** @type {AudioContext | null} */
let context = null;

/** @param {Sound | null} sound */
export function play(sound) {
  if (sound === null) return;
  context ??= new AudioContext();
  // A browser makes no sound before the reader has touched the page.
  if (context.state === "suspended") context.resume().catch(() => null);
  SOUNDS[sound](context);
}

/** @type {Record<Sound, (context: AudioContext) => void>} */
const SOUNDS = {
  rattle: (audio) => [0, 0.07, 0.13, 0.2, 0.26, 0.35].forEach((at, index) => clack(audio, at, 2400 - index * 180, 0.09)),
  bid: (audio) => clack(audio, 0, 1500, 0.12),
  knock: (audio) => [0, 0.16].forEach((at) => thud(audio, at, 150, 0.35)),
  lift: (audio) => clack(audio, 0, 700, 0.14),
  count: (audio) => tone(audio, 0, 620, 0.08),
  told: (audio) => [392, 523].forEach((pitch, index) => tone(audio, index * 0.12, pitch, 0.1)),
};

/** A die that hits wood: a short noise. @param {AudioContext} audio @param {number} at @param {number} pitch @param {number} loudness */
function clack(audio, at, pitch, loudness) {
  const samples = Math.floor(audio.sampleRate * 0.04);
  const buffer = audio.createBuffer(1, samples, audio.sampleRate);
  const noise = buffer.getChannelData(0);
  for (let index = 0; index < samples; index += 1) noise[index] = (Math.random() * 2 - 1) * (1 - index / samples) ** 3;
  const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency: pitch, Q: 2.5 });
  const source = new AudioBufferSourceNode(audio, { buffer });
  source.connect(filter).connect(new GainNode(audio, { gain: loudness * 4 })).connect(audio.destination);
  source.start(audio.currentTime + at);
}

/** @param {AudioContext} audio @param {number} at @param {number} pitch @param {number} loudness */
function thud(audio, at, pitch, loudness) {
  swell(audio, at, 0.12, loudness, new OscillatorNode(audio, { type: "sine", frequency: pitch }));
}

/** @param {AudioContext} audio @param {number} at @param {number} pitch @param {number} loudness */
function tone(audio, at, pitch, loudness) {
  swell(audio, at, 0.18, loudness, new OscillatorNode(audio, { type: "triangle", frequency: pitch }));
}

/** @param {AudioContext} audio @param {number} at @param {number} seconds @param {number} loudness @param {OscillatorNode} source */
function swell(audio, at, seconds, loudness, source) {
  const begin = audio.currentTime + at;
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.setValueAtTime(loudness, begin);
  gain.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
  source.connect(gain).connect(audio.destination);
  source.start(begin);
  source.stop(begin + seconds);
}
