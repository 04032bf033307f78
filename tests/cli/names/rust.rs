// SPDX-License-Identifier: BSD-2-Clause
// Generics, traits, closures and iterators, without the standard library. rust.s was made of it by
// rustc -O -C debuginfo=1 --crate-type lib --emit asm -C panic=abort -C symbol-mangling-version=v0 --remap-path-prefix $PWD=. -o rust.s rust.rs
#![no_std]

pub mod shapes {
    pub trait Area {
        fn area(&self) -> f64;
    }

    pub struct Square<T>(pub T);
    pub struct Circle {
        pub radius: f64,
    }

    impl<T: Copy + Into<f64>> Area for Square<T> {
        fn area(&self) -> f64 {
            let side: f64 = self.0.into();
            side * side
        }
    }

    impl Area for Circle {
        fn area(&self) -> f64 {
            3.0 * self.radius * self.radius
        }
    }

    #[inline(never)]
    pub fn sum<'a, I: Iterator<Item = &'a dyn Area>>(shapes: I) -> f64 {
        shapes.map(|shape| shape.area()).sum()
    }
}

use shapes::{Area, Circle, Square};

#[inline(never)]
fn longest<'a>(words: impl Iterator<Item = &'a [u8]>) -> usize {
    words.map(<[u8]>::len).fold(0, usize::max)
}

#[no_mangle]
pub extern "C" fn rust_main(n: i32, text: &[u8; 16]) -> f64 {
    let (small, large) = (Square(n), Square(n as f32));
    let circle = Circle { radius: n as f64 };
    let all: [&dyn Area; 3] = [&small, &large, &circle];
    let odd = text.iter().filter(|&&byte| byte % 2 == 1).count();

    shapes::sum(all.iter().copied()) + longest(text.split(|&byte| byte == b' ')) as f64 + odd as f64
}
