"""How the page looks, on screen in two themes and on paper; and the one button it has."""

from __future__ import annotations

LIGHT = {
    "page": "#faf8f4",
    "card": "#ffffff",
    "ink": "#1d2329",
    "soft": "#56606a",
    "line": "#e2ddd3",
    "final": "#0b5c9e",
    "other": "#7b8794",
    "better": "#0b5c9e",
    "worse": "#b34700",
    "same": "#626d78",
    "on-final": "#ffffff",
}
DARK = {
    "page": "#14181d",
    "card": "#1c2229",
    "ink": "#e9e6df",
    "soft": "#a7b0ba",
    "line": "#343d47",
    "final": "#6cb6f5",
    "other": "#7f8b98",
    "better": "#6cb6f5",
    "worse": "#ff9c5a",
    "same": "#98a3ae",
    "on-final": "#10151a",
}
"""Blue and orange stay apart for every common kind of colour blindness; all text meets WCAG AA on page and card."""


def _declared(palette: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in palette.items())


CSS = (
    f":root{{color-scheme:light;{_declared(LIGHT)}}}\n"
    "@media screen and (prefers-color-scheme:dark){"
    f":root:not([data-theme=light]){{color-scheme:dark;{_declared(DARK)}}}}}\n"
    f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{_declared(DARK)}}}}}\n"
    """
*{box-sizing:border-box}
body{margin:0 auto;max-width:70rem;padding:1.25rem clamp(.75rem,3vw,2rem) 3rem;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums;
overflow-wrap:anywhere}
h1,h2,.brand,.figure strong,.change{font-family:Charter,"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif}
h1{font-size:clamp(2rem,6vw,3.1rem);line-height:1.1;margin:.1em 0 .25em}
h2{font-size:1.45rem;line-height:1.25;margin:0 0 .6rem}
h3{font-size:1rem;margin:1.6rem 0 .5rem}
p{margin:.25rem 0}
small,.soft,.legend,caption{color:var(--soft)}
small{font-size:.82rem}
.better{color:var(--better)}.worse{color:var(--worse)}.same{color:var(--same)}
.top{display:flex;justify-content:space-between;align-items:center;gap:1rem;margin-bottom:1.5rem}
.brand{font-size:1.1rem;font-weight:700}.brand span{font-weight:400;font-style:italic;color:var(--soft)}
button{font:inherit;font-size:.82rem;color:var(--ink);background:var(--card);border:1px solid var(--same);
border-radius:2rem;padding:.25rem .8rem;cursor:pointer}
:focus-visible{outline:3px solid var(--final);outline-offset:2px}
.hero{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,24rem);gap:1rem 2rem;align-items:end}
.facts{display:flex;flex-wrap:wrap;gap:.15rem .6rem;color:var(--soft)}
.facts span+span::before{content:"·";margin-right:.6rem}
.told{max-width:60ch}
.figure p{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem 1rem}
.figure strong{white-space:nowrap;font-size:clamp(3.2rem,10vw,4.6rem);line-height:1;color:var(--final)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:1rem;margin-top:1.5rem}
.card,section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.25rem}
.card{border-left:.35rem solid;color:var(--same)}.card.better{color:var(--better)}.card.worse{color:var(--worse)}
.card h2{font-size:1.15rem}.card>:not(h2){color:var(--ink)}.card>.soft{color:var(--soft)}
.checks{list-style:none;margin:0;padding:0}.checks li{margin:.3rem 0}.checks span{font-weight:600;margin-right:.3rem}
.change{font-size:1.6rem;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .5rem}
.change small{font-family:system-ui,sans-serif}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:1.5rem 0 1rem;font-size:.9rem}
a{color:var(--final);text-underline-offset:.2em}
section{margin:0 0 1.25rem;padding:1.25rem clamp(.9rem,2.5vw,1.75rem) 1.5rem;scroll-margin-top:1rem}
.legend{font-size:.85rem;margin:0 0 .8rem}
.legend i{display:inline-block;width:.9rem;height:.7rem;border-radius:2px;margin-right:.35rem;
background:currentcolor}
.key{display:inline-block;margin-right:.7rem}
.legend i.final{color:var(--final)}.legend i.other{color:var(--other);height:.45rem}
.legend i.bar{height:2px;color:var(--ink);vertical-align:middle}
.legend i.dot{width:.75rem;height:.75rem;border-radius:50%}
.rows{list-style:none;margin:0;padding:0}
.row{display:grid;grid-template-columns:11rem minmax(0,1fr) 9.5rem;gap:0 1.25rem;align-items:center;padding:.28rem 0}
.long .row{grid-template-columns:minmax(0,1.1fr) minmax(0,1fr) 9.5rem}
.name>*,.value>small{display:block;line-height:1.35}.name .badge{display:inline-block}
.row.scale{padding:0}
svg{display:block;overflow:visible}
svg text{font-size:11px;fill:var(--soft);font-family:system-ui,sans-serif}
.track{background:linear-gradient(to right,var(--line) 1px,transparent 1px) 0 0/25% 100%;
border-right:1px solid var(--line)}
.track .final,.histogram .final{fill:var(--final)}.track .other{fill:var(--other)}
.whisker{stroke:var(--ink);stroke-width:1.5}.halo{stroke:var(--card);stroke-width:3.5}
.forest{background:none;border:0}.zero{stroke:var(--same)}.reach{stroke:currentcolor;stroke-width:2}
.track circle{fill:currentcolor;stroke:currentcolor;stroke-width:2}
.track circle.hollow,.forest circle.same{fill:var(--card)}
.square{max-width:34rem;margin:0 auto;padding:.5rem .5rem 2.6rem 3.9rem}
.scatter{aspect-ratio:1;border:1px solid var(--line)}
.scatter .grid{stroke:var(--line)}.diagonal{stroke:var(--same);stroke-dasharray:5 4}
.scatter circle{fill:currentcolor;fill-opacity:.4;stroke:currentcolor;stroke-width:1.5}
.scatter circle:hover{fill-opacity:.9}
.scatter .size{fill:var(--ink);font-weight:600;stroke:var(--card);stroke-width:3;
paint-order:stroke;pointer-events:none}
.histogram .tick{font-size:10.5px}
table{border-collapse:collapse;width:100%;font-size:.88rem}
caption{text-align:left;padding:.2rem 0 .4rem;font-size:.85rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-top:1px solid var(--line);font-weight:400}
thead th{border-top:0;color:var(--soft)}
td strong{color:var(--final)}
.wide{overflow-x:auto;margin-top:1.2rem}.metrics{min-width:34rem}.metrics td,.metrics thead th+th{text-align:right}
.metrics *{overflow-wrap:normal}
.badge{display:inline-block;font-size:.75rem;line-height:1.4;padding:0 .45rem;border:1px solid var(--same);
border-radius:1rem;color:var(--soft)}
td .badge,td:last-child{white-space:nowrap}footer td:last-child{white-space:normal}
.badge.answers{background:var(--final);border-color:var(--final);color:var(--on-final);font-weight:600}
details{border-top:1px solid var(--line)}
summary{display:flex;gap:.9rem;padding:.6rem 0;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary small{display:block}summary::before{content:"▸";color:var(--soft)}details[open]>summary::before{content:"▾"}
.mark{flex:none;color:var(--worse)}.query{font-weight:500}.name>*,.query{text-align:left}
.columns{display:grid;grid-template-columns:minmax(0,22rem) minmax(0,1fr);gap:0 2rem;padding:0 0 1.2rem 1.6rem}
.columns h3{margin-top:.3rem}
.hits{list-style:none;margin:0;padding:0}.hits small{white-space:nowrap}.hits>li+li{margin-top:1rem}
blockquote{margin:.35rem 0;padding-inline-start:.8rem;border-inline-start:3px solid var(--line);white-space:pre-line}
.path,.why,footer td{font:.8rem/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;color:var(--soft)}
.why{margin:.3rem 0 0;padding-left:1.1rem}
footer table{font-size:.8rem}footer th{width:12rem}
@media (max-width:44rem){
.hero,.columns{grid-template-columns:minmax(0,1fr)}.columns{padding-left:0}
.row,.long .row{grid-template-columns:minmax(0,1fr) auto;padding:.4rem 0}
.row>svg{grid-column:1/-1;grid-row:2;margin-top:.2rem}.value{text-align:right}
.name small{display:inline-block;margin-right:.4rem}
.scatter text,.histogram .tick{font-size:10px}footer th{width:8rem}
}
@media print{
html{font-size:12px}body{max-width:none;padding:0;background:none;font-size:11px}button,nav{display:none}
section{border-color:#bbb}.row,.card,.hits>li,.square,.histogram,tr{break-inside:avoid}h2,h3,.legend,summary{break-after:avoid}
}
"""
)

SCRIPT = """
const root = document.documentElement, button = document.querySelector(".theme");
button.hidden = false;
button.onclick = () => {
  const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (root.dataset.theme || preferred) === "dark" ? "light" : "dark";
};
"""
