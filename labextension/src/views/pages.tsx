/** Pages with their source: pointing at the page names turn and characters and shows the text, and the other way round. */

import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Pages as Data, readPages, rects, type Sheet, spanAt } from '../core/pagemap';
import { list, number, record, text, texts } from '../core/reading';
import { readView } from '../core/view';
import { Button, plural, type Shared, tokens } from './parts';
import type { ViewProps } from './tree';

const PNG = /^data:image\/png;base64,[A-Za-z0-9+/=]+$/;
const ZOOMS = [0.35, 0.5, 0.7, 1, 1.5, 2, 3];
const FIT = 0;
/** What a key with shift moves the page by, in pixels. */
const PANS: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-60, 0],
  ArrowRight: [60, 0],
  ArrowUp: [0, -60],
  ArrowDown: [0, 60]
};

interface Page {
  png: string;
  texts: string[];
}

/** The images that the notebook keeps beside the state, as data URLs, in order. Nothing else is taken from there. */
export function keptImages(html: string): string[] {
  const images = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('img');
  return [...images].map(image => image.getAttribute('src') ?? '').filter(source => PNG.test(source));
}

/** Pages by number, fetched when they are looked at. */
function usePages(data: Data, args: Record<string, unknown>, html: string, { stage, live }: Shared) {
  const [pages, setPages] = useState(new Map<string, Page>());
  const kept = useMemo(() => keptImages(html), [html]);
  const asked = useRef(new Set<string>());
  const prefix = `${data.profile}/`;
  return (sheet: Sheet): Page | null => {
    const key = prefix + sheet.number;
    if (live && !asked.current.has(key)) {
      asked.current.add(key);
      stage.call('page', { args: { ...args, profile: data.whatIf ? data.profile : null }, number: sheet.number }).then(
        result => {
          const { png, texts: said } = record(result);
          setPages(known => new Map(known).set(key, { png: `data:image/png;base64,${text(png)}`, texts: texts(said) }));
        },
        () => undefined
      );
    }
    const old = kept[sheet.number - 1];
    return pages.get(key) ?? (old && args.profile === undefined ? { png: old, texts: [] } : null);
  };
}

export function Pages({ state, html, shared }: ViewProps) {
  const [now, setNow] = useState(state);
  const data = useMemo(() => readPages(now.data), [now]);
  const [shown, setShown] = useState(1);
  const [zoom, setZoom] = useState(FIT);
  const [pointed, setPointed] = useState<number | null>(null);
  const [character, setCharacter] = useState<number | null>(null);
  const [profiles, setProfiles] = useState(false);
  const page = usePages(data, now.args, now === state ? html : '', shared);
  const sheet = data.sheets.find(each => each.number === shown) ?? data.sheets[0];
  const found = sheet ? page(sheet) : null;
  const choose = async (profile: string): Promise<void> => {
    try {
      const next = readView(await shared.stage.call('view', { view: 'pages', args: { ...state.args, profile } }));
      if (next) {
        setNow(next);
        setPointed(null);
      }
    } catch (error) {
      shared.say(error instanceof Error ? error.message : String(error));
    }
  };
  const turn = (way: number): void => {
    setShown(Math.min(data.sheets.length, Math.max(1, (sheet?.number ?? 1) + way)));
    setPointed(null);
  };
  const step = (way: number): void => {
    const at = zoom === FIT ? ZOOMS.indexOf(0.7) : ZOOMS.indexOf(zoom);
    setZoom(ZOOMS[Math.min(ZOOMS.length - 1, Math.max(0, at + way))] ?? 1);
  };
  const key = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const last = (sheet?.spans.length ?? 1) - 1;
    const point = (next: number): void => {
      setPointed(Math.min(last, Math.max(0, next)));
      setCharacter(null);
    };
    const keys: Record<string, () => void> = {
      ArrowDown: () => point((pointed ?? -1) + 1),
      ArrowUp: () => point((pointed ?? 1) - 1),
      ArrowRight: () => turn(1),
      ArrowLeft: () => turn(-1),
      '[': () => turn(-1),
      ']': () => turn(1),
      '+': () => step(1),
      '-': () => step(-1),
      '0': () => setZoom(FIT)
    };
    const pan = PANS[event.key];
    const paper = event.currentTarget;
    const run = event.shiftKey && pan ? () => paper.scrollBy(...pan) : keys[event.key];
    if (run) {
      event.preventDefault();
      event.stopPropagation();
      run();
    }
  };
  if (!sheet) {
    return <p class="quiet">There are no pages: nothing stands before this turn.</p>;
  }
  const span = pointed === null ? undefined : sheet.spans[pointed];
  return (
    <>
      <header class="bar">
        <strong class="name">{plural(data.sheets.length, 'page')}</strong>
        {data.whatIf && <span class="mark whatif">what if: nothing is sent like this</span>}
        <Price data={data} />
        <label>
          profile{' '}
          <select
            value={data.profile}
            disabled={!shared.live}
            onChange={event => void choose(event.currentTarget.value)}
          >
            {data.profiles.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Button
          label="All profiles side by side"
          pressed={profiles}
          disabled={!shared.live}
          onPress={() => setProfiles(!profiles)}
        >
          Profiles
        </Button>
        <span class="switch" role="group" aria-label="Zoom">
          <Button label="Smaller (-)" onPress={() => step(-1)}>
            −
          </Button>
          <Button label="The whole width (0)" pressed={zoom === FIT} onPress={() => setZoom(FIT)}>
            Fit
          </Button>
          <Button label="Larger (+)" onPress={() => step(1)}>
            +
          </Button>
        </span>
      </header>
      {profiles && <Profiles args={state.args} shared={shared} choose={name => void choose(name)} />}
      <div class="desk">
        <div class="thumbs" role="listbox" aria-label="Pages">
          {data.sheets.map(each => (
            <Thumb
              key={each.number}
              sheet={each}
              png={each.number <= shown + 12 ? (page(each)?.png ?? '') : ''}
              shown={each === sheet}
              look={() => {
                setShown(each.number);
                setPointed(null);
              }}
            />
          ))}
        </div>
        <div
          class="paper"
          tabIndex={0}
          role="group"
          aria-label={`Page ${sheet.number}. Arrows up and down walk its messages, left and right the pages, with shift they move the page; plus and minus zoom`}
          onKeyDown={key}
        >
          <Paper
            sheet={sheet}
            png={found?.png ?? ''}
            zoom={zoom}
            pointed={pointed}
            point={(index, at) => {
              setPointed(index);
              setCharacter(at);
            }}
          />
        </div>
        <div class="source" tabIndex={0} role="region" aria-label="The text on the page">
          <p class="quiet pointed" role="status">
            {span
              ? `${span.tag || 'text'} ${span.role}${data.tags.get(span.tag) ? ` (${data.tags.get(span.tag)})` : ''}, characters ${tokens(span.start)} to ${tokens(span.end)}${character === null ? '' : `, here about ${tokens(character)}`}`
              : 'Point at the page, or at a text here.'}
          </p>
          <ol>
            {sheet.spans.map((each, n) => (
              <Source
                key={`${each.part}.${each.start}`}
                name={`${each.tag} ${each.role}`}
                said={found?.texts[n] ?? ''}
                range={`${tokens(each.start)}–${tokens(each.end)}`}
                pointed={n === pointed}
                point={() => {
                  setPointed(n);
                  setCharacter(null);
                }}
              />
            ))}
          </ol>
        </div>
      </div>
    </>
  );
}

function Price({ data: { asText, asImage, beside } }: { data: Data }) {
  const spent = asImage + beside;
  const most = Math.max(1, asText, spent);
  return (
    <span class="price grow" role="img" aria-label={`${tokens(spent)} tokens as images, ${tokens(asText)} as text`}>
      <span class="pair">
        <span>text</span>
        <span class="track">
          <span class="fill text" style={{ width: `${(100 * asText) / most}%` }} />
        </span>
        <span class="bar-number">{tokens(asText)}</span>
      </span>
      <span class="pair">
        <span>image</span>
        <span class="track">
          <span class="fill" style={{ width: `${(100 * asImage) / most}%` }} />
          <span
            class="fill beside"
            style={{ left: `${(100 * asImage) / most}%`, width: `${(100 * beside) / most}%` }}
          />
        </span>
        <span class="bar-number">
          {tokens(spent)}
          {asText > 0 && <em> {Math.round((100 * spent) / asText)} %</em>}
        </span>
      </span>
    </span>
  );
}

function Thumb({ sheet, png, shown, look }: { sheet: Sheet; png: string; shown: boolean; look(): void }) {
  const tags = [...new Set(sheet.spans.map(span => span.tag))];
  const told = tags.length > 1 ? `${tags[0]} to ${tags.at(-1)}` : (tags[0] ?? '');
  return (
    <button type="button" role="option" aria-selected={shown} class={shown ? 'thumb shown' : 'thumb'} onClick={look}>
      <span class="leaf" style={{ aspectRatio: `${sheet.width} / ${sheet.height}` }}>
        {png && <img src={png} alt="" />}
      </span>
      <span>
        {sheet.number} · {told}
      </span>
      <span class="quiet">{tokens(sheet.tokens)} tokens</span>
    </button>
  );
}

interface PaperProps {
  sheet: Sheet;
  png: string;
  zoom: number;
  pointed: number | null;
  point(index: number | null, character: number | null): void;
}

function Paper({ sheet, png, zoom, pointed, point }: PaperProps) {
  const drag = useRef<{ x: number; y: number; left: number; top: number } | null>(null);
  const move = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const scroller = event.currentTarget.parentElement?.parentElement;
    if (drag.current && scroller) {
      scroller.scrollTo(
        drag.current.left + drag.current.x - event.clientX,
        drag.current.top + drag.current.y - event.clientY
      );
      return;
    }
    const found = spanAt(
      sheet,
      ((event.clientX - box.left) * sheet.width) / box.width,
      ((event.clientY - box.top) * sheet.height) / box.height
    );
    point(found?.index ?? null, found?.character ?? null);
  };
  const span = pointed === null ? undefined : sheet.spans[pointed];
  return (
    <div
      class="leaf"
      style={{
        width: zoom === FIT ? '100%' : `${sheet.width * zoom}px`,
        aspectRatio: `${sheet.width} / ${sheet.height}`
      }}
    >
      {png && <img src={png} alt={`Page ${sheet.number}`} />}
      <svg
        role="presentation"
        viewBox={`0 0 ${sheet.width} ${sheet.height}`}
        onPointerMove={move}
        onPointerDown={event => {
          const scroller = event.currentTarget.parentElement?.parentElement;
          if (scroller) {
            drag.current = { x: event.clientX, y: event.clientY, left: scroller.scrollLeft, top: scroller.scrollTop };
            event.currentTarget.setPointerCapture(event.pointerId);
          }
        }}
        onPointerUp={() => {
          drag.current = null;
        }}
      >
        {span && rects(sheet, span).map(rect => <rect key={`${rect.y}.${rect.x}`} class="spot" {...rect} />)}
      </svg>
    </div>
  );
}

interface SourceProps {
  name: string;
  said: string;
  range: string;
  pointed: boolean;
  point(): void;
}

function Source({ name, said, range, pointed, point }: SourceProps) {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const box = element.current?.closest('.source');
    if (pointed && element.current && box) {
      const { offsetTop, offsetHeight } = element.current;
      if (offsetTop < box.scrollTop || offsetTop + offsetHeight > box.scrollTop + box.clientHeight) {
        box.scrollTop = offsetTop - 40;
      }
    }
  }, [pointed]);
  return (
    <li ref={element} class={pointed ? 'pointed' : ''} aria-current={pointed} onMouseOver={point}>
      <span class="quiet">
        {name} · {range}
      </span>
      <div class="plain" dir="auto">
        {said}
      </div>
    </li>
  );
}

function Profiles({
  args,
  shared,
  choose
}: {
  args: Record<string, unknown>;
  shared: Shared;
  choose(name: string): void;
}) {
  const [rows, setRows] = useState<Record<string, unknown>[] | null>(null);
  useEffect(() => {
    shared.stage.call('profiles', { args }).then(
      result => setRows(list(record(result).profiles).map(record)),
      error => shared.say(String(error instanceof Error ? error.message : error))
    );
  }, [args, shared]);
  if (!rows) {
    return <p class="quiet">Drawing the same text in each profile…</p>;
  }
  return (
    <div class="profiles">
      {rows.map(row => {
        const name = text(row.profile);
        const png = `data:image/png;base64,${text(row.png)}`;
        return (
          <button type="button" key={name} class="profile" onClick={() => choose(name)}>
            <span class="peek">
              {PNG.test(png) && <img src={png} alt={`The beginning of page 1 in ${name}`} width={number(row.width)} />}
            </span>
            <strong>{name}</strong>
            <span class="quiet">
              {text(row.font)}, {plural(number(row.pages), 'page')}
              <br />
              {tokens(number(row.tokens))} tokens,{' '}
              {Math.round((100 * number(row.tokens)) / Math.max(1, number(row.as_text)))} % of text
            </span>
          </button>
        );
      })}
    </div>
  );
}
